#include "controller/api/audit_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/log.h"

namespace paddock::api {
namespace {

constexpr size_t kMostWaiting = 4'096;
constexpr Millis kTryAgain{1'000};

}  // namespace

Status AuditQueue::add(store::Store& store, std::vector<contracts::AuditEvent> events) {
  const bool now = state_.with([&](State& state) {
    std::ranges::move(events, std::back_inserter(state.waiting));
    return !state.serving || state.failing || state.waiting.size() > kMostWaiting;
  });
  if (now) return flush(store);
  changed_.notify_one();
  return {};
}

Status AuditQueue::check(store::Store& store) {
  return state_.with([](const State& state) { return state.failing; }) ? flush(store) : Status();
}

// What could not be written is the first to be written next.
Status AuditQueue::flush(store::Store& store) {
  const std::lock_guard one(writing_);
  auto batch = state_.with([](State& state) { return std::exchange(state.waiting, {}); });
  Status written;
  if (!batch.empty()) {
    written = store.write([&](store::WriteTxn& txn) -> Status {
      for (contracts::AuditEvent& event : batch) TRY(txn.append_audit(event));
      return {};
    });
  }
  state_.with([&](State& state) {
    state.failing = !written.ok();
    if (written.ok()) return;
    std::ranges::move(state.waiting, std::back_inserter(batch));
    state.waiting = std::move(batch);
  });
  return written;
}

void AuditQueue::serve(store::Store& store) {
  state_.with([](State& state) { state.serving = true; });
  bool stopped = false;
  while (!stopped) {
    stopped = state_.wait_for(
        changed_, kTryAgain,
        [](const State& state) {
          return state.stopped || (!state.waiting.empty() && !state.failing);
        },
        [](State& state, bool) {
          state.serving = !state.stopped;
          return state.stopped;
        });
    const Status written = flush(store);
    if (!written.ok())
      log_error("the audit log could not be written", {{"error", written.error().describe()}});
  }
}

void AuditQueue::stop() {
  state_.with([](State& state) { state.stopped = true; });
  changed_.notify_one();
}

}  // namespace paddock::api

#include "controller/api/later_writes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/log.h"

namespace paddock::api {
namespace {

constexpr size_t kMostWaiting = 4'096;
constexpr Millis kTryAgain{1'000};
constexpr Millis kGather{2};  // who is being answered goes first; what comes meanwhile is batched

}  // namespace

LaterWrites::Write LaterWrites::audit(std::vector<contracts::AuditEvent> events) {
  return [events = std::move(events)](store::WriteTxn& txn) mutable -> Status {
    for (contracts::AuditEvent& event : events) TRY(txn.append_audit(event));
    return {};
  };
}

Result<uint64_t> LaterWrites::add(store::Store& store, Write write) {
  uint64_t number = 0;
  bool first = false;
  const bool now = state_.with([&](State& state) {
    number = ++state.added;
    first = state.waiting.empty();
    state.waiting.push_back(std::move(write));
    return !state.serving || state.failing || state.waiting.size() > kMostWaiting;
  });
  if (now) TRY(flush(store));
  if (!now && first) changed_.notify_one();
  return number;
}

Status LaterWrites::check(store::Store& store) {
  return state_.with([](const State& state) { return state.failing; }) ? flush(store) : Status();
}

Status LaterWrites::settle(store::Store& store, uint64_t number) {
  const bool done = state_.with(
      [&](const State& state) { return state.written >= std::min(number, state.added); });
  return done ? Status() : flush(store);
}

// What could not be written is the first to be written next.
Status LaterWrites::flush(store::Store& store) {
  const std::lock_guard one(writing_);
  uint64_t last = 0;
  auto batch = state_.with([&](State& state) {
    last = state.added;
    return std::exchange(state.waiting, {});
  });
  Status written;
  if (!batch.empty()) {
    written = store.write([&](store::WriteTxn& txn) -> Status {
      for (const Write& write : batch) TRY(write(txn));
      return {};
    });
  }
  state_.with([&](State& state) {
    state.failing = !written.ok();
    if (written.ok()) {
      state.written = last;
      return;
    }
    std::ranges::move(state.waiting, std::back_inserter(batch));
    state.waiting = std::move(batch);
  });
  return written;
}

void LaterWrites::serve(store::Store& store) {
  state_.with([](State& state) { state.serving = true; });
  const auto note = [](State& state, bool) {
    state.serving = !state.stopped;
    return state.stopped;
  };
  bool stopped = false;
  while (!stopped) {
    const auto stops = [](const State& state) { return state.stopped; };
    const auto wanted = [&](const State& state) {
      return stops(state) || (!state.waiting.empty() && !state.failing);
    };
    stopped = state_.wait_for(changed_, kTryAgain, wanted, note) ||
              state_.wait_for(changed_, kGather, stops, note);
    const Status written = flush(store);
    if (!written.ok())
      log_error("what came was not recorded yet", {{"error", written.error().describe()}});
  }
}

void LaterWrites::stop() {
  state_.with([](State& state) { state.stopped = true; });
  changed_.notify_one();
}

}  // namespace paddock::api

#include "controller/api/server/write_behind_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/log.h"

namespace paddock::api {
namespace {

constexpr size_t kMostWaiting = 4'096;
constexpr Millis kTryAgain{1'000};
// How long the writing thread waits before it writes: answers go first, and records that come
// meanwhile are written together. It also looks again after each write, so a request need not wake
// it then.
constexpr Millis kGather{1};

}  // namespace

WriteBehindQueue::Write WriteBehindQueue::audit(std::vector<contracts::AuditEvent> events) {
  return [events = std::move(events)](store::WriteTxn& txn) mutable -> Status {
    for (contracts::AuditEvent& event : events) TRY(txn.append_audit(event));
    return {};
  };
}

Result<uint64_t> WriteBehindQueue::add(store::Store& store, Write write) {
  uint64_t number = 0;
  const bool now = state_.with([&](State& state) {
    number = ++state.added;
    state.waiting.push_back(std::move(write));
    return !state.serving || state.failing || state.waiting.size() > kMostWaiting;
  });
  if (now) TRY(flush(store));
  return number;
}

void WriteBehindQueue::wake() {
  const bool asleep = state_.with([](State& state) {
    return !state.waiting.empty() && !state.failing && std::exchange(state.asleep, false);
  });
  if (asleep) changed_.notify_one();
}

Status WriteBehindQueue::check(store::Store& store) {
  // What was written elsewhere may have told the store already; it asks its disk again then.
  if (state_.with([](const State& state) { return state.failing; })) return flush(store);
  return store.check_writable();
}

Status WriteBehindQueue::settle(store::Store& store, uint64_t number) {
  const bool done = state_.with(
      [&](const State& state) { return state.written >= std::min(number, state.added); });
  return done ? Status() : flush(store, number);
}

Status WriteBehindQueue::settle_freeing(store::Store& store) {
  const bool done = state_.with([](const State& state) { return state.written >= state.added; });
  return done ? Status() : flush(store, UINT64_MAX, To::kReserve);
}

// Up to `number` at least. What could not be written is the first to be written next.
Status WriteBehindQueue::flush(store::Store& store, uint64_t number, To to) {
  const std::lock_guard one(writing_);
  uint64_t last = 0;
  auto batch = state_.with([&](State& state) -> std::vector<Write> {
    last = state.written;
    if (last >= std::min(number, state.added)) return {};  // by who wrote before
    last = state.added;
    return std::exchange(state.waiting, {});
  });
  if (batch.empty()) return {};
  const auto change = [&](store::WriteTxn& txn) -> Status {
    for (const Write& write : batch) TRY(write(txn));
    return {};
  };
  const Status written = to == To::kReserve ? store.write_freeing(change) : store.write(change);
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

// False: nothing came.
bool WriteBehindQueue::gather() {
  return state_.wait_for(
      changed_, kGather, [](const State& state) { return state.stopped; },
      [](const State& state, bool) { return !state.waiting.empty(); });
}

void WriteBehindQueue::serve(store::Store& store) {
  bool stopped = false;
  state_.with([](State& state) { state.serving = true; });
  while (!stopped) {
    state_.with([](State& state) { state.asleep = true; });
    stopped = state_.wait_for(
        changed_, kTryAgain,
        [](const State& state) {
          return state.stopped || (!state.waiting.empty() && !state.failing);
        },
        [](State& state, bool) {
          state.asleep = false;
          state.serving = !state.stopped;
          return state.stopped;
        });
    Status written;
    while (gather() && written.ok()) written = flush(store);
    if (!written.ok())
      log_error("what came was not recorded yet", {{"error", written.error().describe()}});
  }
}

void WriteBehindQueue::stop() {
  state_.with([](State& state) { state.stopped = true; });
  changed_.notify_one();
}

}  // namespace paddock::api

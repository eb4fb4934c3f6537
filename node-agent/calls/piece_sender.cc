#include "node-agent/calls/piece_sender.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/start_thread.h"

namespace paddock::agent {
namespace {

constexpr size_t kMostAtOnce = 64;
constexpr size_t kMostWaiting = 2 * kMostAtOnce;
constexpr int kAttempts = 3;
constexpr Millis kLookAgainAfter{60'000};

}  // namespace

PieceSender::PieceSender(http::Endpoint endpoint, std::string node, contracts::CallsRequest first,
                         std::function<void()> on_lost)
    : client_(std::move(endpoint)),
      node_(std::move(node)),
      on_lost_(std::move(on_lost)),
      first_(std::move(first)) {
  auto thread = start_thread([this] { send_all(); });
  if (thread) {
    thread_ = std::move(*thread);
  } else {
    started_ = std::move(thread).error();
    state_.with([](State& state) { state.failed = true; });
  }
}

bool PieceSender::finish() {
  state_.with([](State& state) { state.over = true; });
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  return state_.with([](const State& state) { return !state.failed; });
}

void PieceSender::add(const std::string& call, wire::Value piece) {
  state_.with([&](State& state) {
    if (!state.failed) state.pieces.push_back({call, ++state.last, std::move(piece)});
  });
  changed_.notify_all();
}

bool PieceSender::has_room() const {
  return state_.with([](const State& state) { return state.pieces.size() < kMostWaiting; });
}

// A request whose answer was lost is sent again; the controller takes its pieces only once. A slow
// caller is waited for: the controller answers TOO_MANY_CALLS as long as the caller is there.
bool PieceSender::send(std::vector<contracts::CallPiece> pieces) {
  contracts::CallsRequest request = first_;
  request.takes = false;
  request.pieces = std::move(pieces);
  for (int failures = 0; failures < kAttempts;) {
    const auto answer = client_.exchange_calls(node_, request);
    if (answer.ok()) return true;
    failures = answer.error().reason == "TOO_MANY_CALLS" ? 0 : failures + 1;
  }
  return false;
}

void PieceSender::send_all() {
  while (true) {
    bool over = false;
    std::vector<contracts::CallPiece> pieces;
    state_.wait_for(
        changed_, kLookAgainAfter, [](State& state) { return state.over || !state.pieces.empty(); },
        [&](State& state, bool) {
          const auto count =
              static_cast<std::ptrdiff_t>(std::min(state.pieces.size(), kMostAtOnce));
          const auto end = state.pieces.begin() + count;
          pieces.assign(std::make_move_iterator(state.pieces.begin()),
                        std::make_move_iterator(end));
          state.pieces.erase(state.pieces.begin(), end);
          over = state.over;
        });
    if (pieces.empty() && over) return;
    if (pieces.empty() || send(std::move(pieces))) continue;
    const bool had_failed = state_.with([](State& state) {
      state.pieces.clear();
      return std::exchange(state.failed, true);
    });
    if (!had_failed && on_lost_) on_lost_();
  }
}

}  // namespace paddock::agent

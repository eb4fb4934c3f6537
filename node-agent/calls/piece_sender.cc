#include "node-agent/calls/piece_sender.h"

#include <algorithm>
#include <iterator>

namespace paddock::agent {
namespace {

constexpr size_t kMostAtOnce = 64;
constexpr int kAttempts = 3;
constexpr Millis kLookAgainAfter{60'000};

}  // namespace

PieceSender::PieceSender(http::Endpoint endpoint, std::string node, contracts::CallsRequest first)
    : client_(std::move(endpoint)),
      node_(std::move(node)),
      first_(std::move(first)),
      thread_([this] { send_all(); }) {}

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

// One that was taken and not answered is sent again: it is taken once.
bool PieceSender::send(std::vector<contracts::CallPiece> pieces) {
  contracts::CallsRequest request = first_;
  request.takes = false;
  request.pieces = std::move(pieces);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (client_.exchange_calls(node_, request).ok()) return true;
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
    state_.with([](State& state) {
      state.failed = true;
      state.pieces.clear();
    });
  }
}

}  // namespace paddock::agent

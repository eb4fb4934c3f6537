#include "node-agent/sessions/live_input.h"

#include <utility>

#include "common/base/text.h"

namespace paddock::sessions {
namespace {

Error takes_none(const char* why) {
  return {Code::kFailedPrecondition, "COMMAND_TAKES_NO_INPUT", why};
}

}  // namespace

Status LiveInput::check(const contracts::InputPiece& piece, const State& state,
                        size_t bytes) const {
  if (piece.seq > state.next)
    return Error{Code::kConflict, "INPUT_OUT_OF_ORDER",
                 cat("the piece that comes next has the seq ", state.next)};
  if (piece.terminal && !terminal_) return takes_none("the command has no terminal");
  if (piece.end && terminal_)
    return takes_none("the input of a terminal has no end: send Ctrl-D, which is `BA==`");
  if ((bytes > 0 || piece.end) && !open_)
    return takes_none("the command was begun without input that comes while it runs");
  if (state.ended) return takes_none("the end of its input has come");
  if (state.waiting.bytes.size() + bytes > contracts::run_exec::kMostWaitingBytes)
    return Error{Code::kResourceExhausted, "INPUT_WAITS",
                 "the command has not read what it has; send this piece again in a moment"};
  return {};
}

Result<int64_t> LiveInput::add(const contracts::InputPiece& piece) {
  const auto bytes = decode_base64(piece.data);
  if (!bytes) return invalid_argument("BAD_DATA", "the piece is not base64", "data");
  auto next = state_.with([&](State& state) -> Result<int64_t> {
    if (piece.seq < state.next) return state.next;  // it was taken before
    TRY(check(piece, state, bytes->size()));
    state.waiting.bytes += *bytes;
    state.ended = state.waiting.end = piece.end;
    if (piece.terminal) state.size = piece.terminal;
    return ++state.next;
  });
  if (next.ok() && piece.terminal) sizes_.raise();
  if (next.ok() && (!bytes->empty() || piece.end)) news_.raise();
  return next;
}

LiveInput::Taken LiveInput::take() {
  news_.clear();
  return state_.with([](State& state) { return std::exchange(state.waiting, {}); });
}

std::optional<contracts::TerminalSize> LiveInput::take_size() {
  sizes_.clear();
  return state_.with([](State& state) { return std::exchange(state.size, {}); });
}

}  // namespace paddock::sessions

#include "controller/api/handlers/runs/exec_exchange.h"

#include <chrono>
#include <utility>

#include "common/base/text.h"

namespace paddock::api {
namespace {

constexpr size_t kMostOutput = size_t{256} << 10;  // that waits for the client
constexpr size_t kMostInput = size_t{64} << 10;    // that waits for the command, but for a message
constexpr std::chrono::hours kLong{1};             // and then once more

}  // namespace

ExecExchange::ForClient ExecExchange::next_message() {
  ForClient out = state_.with([](State& state) {
    ForClient next;
    if (!state.messages.empty()) {
      next.message = std::move(state.messages.front());
      state.messages.pop_front();
      state.waiting -= next.message->size();
    }
    next.last = next.message && state.messages.empty() && state.finished;
    return next;
  });
  if (out.message) changed_.notify_all();
  return out;
}

bool ExecExchange::has_room() const {
  return state_.with(
      [](const State& state) { return state.over() || state.input.size() < kMostInput; });
}

void ExecExchange::take(const k8s::ExecInput& input) {
  state_.with([&](State& state) {
    if (state.over()) return;
    if (!state.end) state.input += input.data;
    state.end = state.end || input.end;
    if (input.size) state.size = input.size;
  });
  changed_.notify_all();
}

void ExecExchange::let_go() {
  state_.with([](State& state) { state.gone = true; });
  changed_.notify_all();
}

std::optional<contracts::TerminalSize> ExecExchange::first_size(Millis limit) {
  return state_.wait_for(
      changed_, limit, [](const State& state) { return state.size || state.over(); },
      [](State& state, bool) { return std::exchange(state.size, std::nullopt); });
}

void ExecExchange::started() {
  state_.with([](State& state) { state.started = true; });
  changed_.notify_all();
}

void ExecExchange::put(std::string message) {
  for (bool done = false; !done;) {
    state_.wait_for(
        changed_, kLong,
        [](const State& state) { return state.over() || state.waiting < kMostOutput; },
        [&](State& state, bool ready) {
          done = ready;
          if (!ready || state.over()) return;
          state.waiting += message.size();
          state.messages.push_back(std::move(message));
        });
  }
  client_->wake();
}

void ExecExchange::finish(std::string message) {
  state_.with([&](State& state) {
    state.finished = true;
    state.waiting += message.size();
    state.messages.push_back(std::move(message));
    state.input.clear();
  });
  changed_.notify_all();
  client_->wake();
}

bool ExecExchange::wanted() const {
  return state_.with([](const State& state) { return !state.over(); });
}

std::optional<Error> ExecExchange::failure() const {
  return state_.with([](const State& state) { return state.failure; });
}

// The end of a terminal's input is a key like others.
std::optional<contracts::InputPiece> ExecExchange::take_piece(State& state, bool terminal) {
  contracts::InputPiece piece;
  if (state.size) {
    piece.terminal = std::exchange(state.size, std::nullopt);
    return piece;
  }
  if (!state.input.empty()) {
    piece.data =
        base64(std::string_view(state.input).substr(0, contracts::run_exec::kMostPieceBytes));
    state.input.erase(0, contracts::run_exec::kMostPieceBytes);
    return piece;
  }
  if (!state.end || terminal) return std::nullopt;
  piece.end = true;
  return piece;
}

std::optional<contracts::InputPiece> ExecExchange::next_piece(bool terminal) {
  std::optional<contracts::InputPiece> out;
  const auto something = [&](const State& state) {
    return state.over() ||
           (state.started && (state.size || !state.input.empty() || (state.end && !terminal)));
  };
  for (bool over = false; !out && !over;) {
    state_.wait_for(changed_, kLong, something, [&](State& state, bool ready) {
      over = state.over();
      if (ready && !over) out = take_piece(state, terminal);
    });
  }
  client_->wake();  // there is room
  return out;
}

bool ExecExchange::pause(Millis time) {
  return state_.wait_for(
      changed_, time, [](const State& state) { return state.over(); },
      [](const State& state, bool) { return !state.over(); });
}

void ExecExchange::fail(Error why) {
  state_.with([&](State& state) {
    if (!state.over()) state.failure = std::move(why);
  });
  changed_.notify_all();
}

}  // namespace paddock::api

// The half of the relay that nodes see: lanes that are held open for calls.
#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "controller/calls/call_errors.h"
#include "controller/calls/relay.h"

namespace paddock::calls {

bool Relay::has_room(const State& state, const std::vector<contracts::CallPiece>& pieces) {
  return std::ranges::all_of(pieces,
                             [&](const auto& each) { return state.table.has_room(each.id); });
}

// While its request is held for a slow caller, the node can say nothing else.
Status Relay::pass_on(const LaneKey& lane, const std::vector<contracts::CallPiece>& pieces,
                      const Clock& clock) {
  if (weight_of(pieces) > kMostPieces)
    return Error{Code::kTooLarge, "BODY_TOO_LARGE",
                 cat("pieces of answers may take ", kMostPieces, " bytes: send fewer at once")};
  table_.with([&](State& state) {
    const Millis held = has_room(state, pieces) ? Millis(0) : longest_pace_;
    state.table.hear(lane, clock.mono() + held);
  });
  table_.wait_for(
      room_, longest_pace_, [&](const State& state) { return has_room(state, pieces); },
      [](State&, bool) {});
  return change([&](State& state, Wakes& wakes) -> Status {
    if (!has_room(state, pieces))
      return try_later("TOO_MANY_CALLS",
                       "the caller has not taken yet what came before: send these pieces again");
    state.table.pass_on(lane, pieces, wakes);
    return {};
  });
}

// First the answer that the lane brings is handed to its caller. Whether the node may take another
// call can be looked up after that.
Result<std::shared_ptr<Relay::Lane>> Relay::open(const LaneKey& lane,
                                                 const contracts::CallsRequest& request,
                                                 std::function<bool()> eligible,
                                                 const Clock& clock) {
  const std::shared_ptr<Lane> out(
      new Lane(*this, lane, clock.mono() + Millis(request.wait_ms), std::move(eligible), clock));
  std::shared_ptr<Waker> waker;  // of an older request, which has nothing to wait for any more
  Status opened = change([&](State& state, Wakes& wakes) -> Status {
    TRY(state.table.open(lane, request, wakes));
    const auto older = std::exchange(state.lanes[lane], out->waiting_);
    if (older) waker = older->waker;
    out->open_ = true;
    return {};
  });
  TRY(std::move(opened));
  if (waker) waker->wake();
  return out;
}

bool Relay::Lane::is_newest(const State& state) const {
  const auto found = state.lanes.find(key_);
  return found != state.lanes.end() && found->second == waiting_;
}

// Whether there is an answer, or the node is to be asked about first.
bool Relay::Lane::look(const std::shared_ptr<Waker>& waker) {
  return relay_.table_.with([&](State& state) {
    if (!is_newest(state)) answer_ = contracts::CallsAnswer{};
    if (!answer_) answer_ = state.table.poll(key_);
    waiting_->waker = waker;  // from here on it is called for whatever comes
    return answer_ || std::exchange(waiting_->asks, false);
  });
}

// A node that is full is still eligible: that is no reason to place a call elsewhere.
std::optional<Millis> Relay::Lane::wait(const std::shared_ptr<Waker>& waker) {
  while (look(waker)) {
    if (answer_) return std::nullopt;
    const bool may = eligible_();
    (void)relay_.change([&](State& state, Wakes& wakes) -> Status {
      if (is_newest(state)) state.table.set_eligible(key_, may, wakes);
      return {};
    });
  }
  const Millis left = until_ - clock_.mono();
  return left > Millis(0) ? std::optional(left) : std::nullopt;
}

void Relay::Lane::close(State& state, RequestEnd how, Wakes& wakes) {
  if (is_newest(state)) {
    state.table.close(key_, how, clock_.mono(), wakes);
    state.lanes.erase(key_);
  }
  waiting_->waker = nullptr;
  open_ = false;
}

// It may have been given a call since it was seen to have something to say. What an older request
// was given is given up: it must not begin.
contracts::CallsAnswer Relay::Lane::finish() {
  (void)relay_.change([&](State& state, Wakes& wakes) -> Status {
    if (!is_newest(state)) {
      answer_.reset();
    } else if (!answer_ || !answer_->call) {
      if (auto news = state.table.poll(key_)) answer_ = std::move(news);
    }
    close(state, RequestEnd::kAnswered, wakes);
    return {};
  });
  return answer_.value_or(contracts::CallsAnswer{});
}

Relay::Lane::~Lane() {
  if (!open_) return;
  (void)relay_.change([&](State& state, Wakes& wakes) -> Status {
    close(state, RequestEnd::kHungUp, wakes);
    return {};
  });
}

}  // namespace paddock::calls

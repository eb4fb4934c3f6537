// The calls of a world's agents: requests and answers that are lost, repeated, held and late.
#include <utility>

#include "controller/nodes/synchronize.h"
#include "tests/simulation/world.h"

namespace paddock::simulation {

namespace {

constexpr Millis kCallTimeout{30'000};  // of the agent's client

// Takes a random element, so that messages overtake each other.
template <class T>
T take_any(std::deque<T>& queue, Random& random) {
  const auto at = static_cast<std::ptrdiff_t>(random.below(queue.size()));
  T taken = std::move(queue[static_cast<size_t>(at)]);
  queue.erase(queue.begin() + at);
  return taken;
}

}  // namespace

void World::run_lane(size_t index, sync::Lane lane) {
  AgentHost& host = *hosts_[index];
  const std::optional<MonoTime> since = host.waiting_since(lane);
  const bool over = since && (now() - *since > kCallTimeout || fault(5));
  if (over) host.give_up(lane, now());
  const std::optional<Sent> sent = host.call(lane, now());
  if (!sent || lost(index)) return;
  requests_.push_back({index, sent->id, sent->body});
  if (fault(faults_.repeat)) requests_.push_back(requests_.back());
}

Result<contracts::SyncAnswer> World::synchronize(const Request& request) {
  const std::string& name = hosts_[request.host]->name();
  auto answer = nodes::synchronize(*store_, *leases_, name, request.body, nodes::now(clock_));
  if (answer.ok()) heard_[name] = lived_;
  if (!answer.ok() && answer.error().reason != "SESSION_SUPERSEDED") {
    must(answer.error(), "synchronize");
  }
  return answer;
}

void World::deliver_request() {
  Request request = take_any(requests_, random_);
  auto answered = synchronize(request);
  const Millis hold =
      answered.ok() ? nodes::hold_for(request.body, *answered, leases_->times().lease) : Millis(0);
  if (hold <= Millis(0)) return answer(request, std::move(answered));
  request.body.status.reset();
  request.body.runs.clear();
  held_.push_back({std::move(request), std::move(*answered), now() + hold});
}

void World::look_at_held_calls() {
  std::deque<Held> still;
  for (Held& held : std::exchange(held_, {})) {
    const auto version = nodes::desired_version(*store_, hosts_[held.request.host]->name());
    must(version.ok() ? Status() : Status(version.error()), "desired version");
    if (version.ok() && *version != held.answer.version) {
      answer(held.request, synchronize(held.request));
    } else if (now() >= held.until) {
      answer(held.request, std::move(held.answer));
    } else {
      still.push_back(std::move(held));
    }
  }
  held_ = std::move(still);
}

void World::answer(const Request& request, Result<contracts::SyncAnswer> body) {
  if (lost(request.host)) return;
  const MonoTime due = now() + (fault(20) ? up_to(15'000) : Millis(0));
  answers_.push_back({request.host, request.call, std::move(body), due});
}

// An answer reaches the call that asked, or nobody. The two lanes' answers overtake each other.
void World::deliver_answer() {
  Answer answer = take_any(answers_, random_);
  if (!quiet_ && now() < answer.due) return answers_.push_back(std::move(answer));
  AgentHost& host = *hosts_[answer.host];
  if (!host.awaits(answer.call)) return;
  host.answered(answer.call, answer.body, now());
  if (!host.up()) down_until_[answer.host] = now();  // superseded; its supervisor starts another
}

void World::deliver_requests() {
  const size_t count = quiet_ ? requests_.size() : random_.below(requests_.size() + 1);
  for (size_t i = 0; i < count; ++i) deliver_request();
}

void World::deliver_answers() {
  const size_t count = quiet_ ? answers_.size() : random_.below(answers_.size() + 1);
  for (size_t i = 0; i < count; ++i) deliver_answer();
}

}  // namespace paddock::simulation

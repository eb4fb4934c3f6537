#include "controller/http_server/step_pool.h"

#include <chrono>
#include <utility>

namespace paddock::http_server {
namespace {

constexpr std::chrono::hours kForStep{1};  // and then once more

}  // namespace

bool StepPool::start(size_t threads) {
  size_t started = 0;
  while (started < threads && threads_.start([this] { work(); })) ++started;
  return started > 0;
}

// Wakes a thread only if one sleeps: a change that concerns thousands of answers does not wake a
// thread for each.
bool StepPool::run(Step step) {
  enum class Taken { kNo, kYes, kToWake };
  const Taken taken = state_.with([&](State& state) {
    if (state.stopping) return Taken::kNo;
    state.steps.push_back(std::move(step));
    return state.asleep > 0 ? Taken::kToWake : Taken::kYes;
  });
  if (taken == Taken::kToWake) given_.notify_one();
  return taken != Taken::kNo;
}

void StepPool::stop() {
  state_.with([](State& state) { state.stopping = true; });
  given_.notify_all();
  threads_.join_all();
}

StepPool::Step StepPool::next() {
  Step step = state_.with([](State& state) {
    ++state.asleep;
    return take(state);
  });
  for (bool over = false; !step && !over;) {
    state_.wait_for(
        given_, kForStep, [](const State& state) { return !state.steps.empty() || state.stopping; },
        [&](State& state, bool) {
          step = take(state);
          over = !step && state.stopping;
        });
  }
  return step;
}

StepPool::Step StepPool::take(State& state) {
  if (state.steps.empty()) return nullptr;
  Step step = std::move(state.steps.front());
  state.steps.pop_front();
  --state.asleep;
  return step;
}

void StepPool::work() {
  while (const Step step = next()) step();
}

}  // namespace paddock::http_server

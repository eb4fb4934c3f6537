#include "node-agent/calls/call_host.h"

#include <algorithm>

#include "common/base/backoff.h"
#include "common/base/log.h"
#include "common/base/start_thread.h"
#include "common/base/text.h"
#include "common/contracts/run_exec.h"

namespace paddock::agent {
namespace {

constexpr Millis kHold{20'000};
constexpr Millis kHoldWhileBusy{5'000};  // so that a controller that is cut off is missed soon
constexpr Millis kAlone{3'000};          // then the controller has given our calls up
constexpr Millis kHoldUntilReady{250};   // then it takes snippets too
constexpr Millis kIdleLane{60'000};
constexpr Millis kLookAgain{30'000};
constexpr Millis kFirstBackOff{200};

}  // namespace

CallHost::CallHost(const CallSettings& settings, std::string node,
                   executor::LaunchServer& snippet_launcher,
                   executor::LaunchServer& session_launcher, AgentProcess self,
                   std::function<http::Endpoint()> endpoint, RunInsides runs,
                   std::function<void()> doubt, const Clock& clock)
    : places_{settings.snippets.config.max_parallel, settings.sessions.config.max_parallel},
      snippets_enabled_(settings.snippets.config.enabled),
      node_(std::move(node)),
      self_(std::move(self)),
      endpoint_(std::move(endpoint)),
      runs_(std::move(runs)),
      doubt_(std::move(doubt)),
      clock_(clock),
      processors_(std::max<int64_t>(1, std::thread::hardware_concurrency())),
      deferred_teardown_(clock, processors_),
      service_(
          settings.snippets,
          {snippet_launcher.socket(), [&snippet_launcher] { snippet_launcher.revive(); },
           [this](auto time) { wakeup_.schedule(time); }, deferred_teardown_, processors_, clock}),
      sessions_(settings.sessions,
                {session_launcher.socket(), [&session_launcher] { session_launcher.revive(); },
                 [this](auto time) { wakeup_.schedule(time); }, deferred_teardown_, clock}) {}

// Runs for an agent that takes neither snippets nor sessions, too: commands and files of its runs
// come on lanes.
void CallHost::start() {
  maintainer_ = std::thread([this] { maintain(); });
}

// Waits, on the maintaining thread. False: that thread has to end.
bool CallHost::rest(Millis limit) {
  wakeup_.wait(limit);
  return !state_.with([](const State& state) { return state.stopping; });
}

// Waits, on the thread of a lane. False: the thread has to end.
bool CallHost::pause(Millis limit) {
  return state_.wait_for(
      changed_, limit, [](const State& state) { return state.stopping; },
      [](const State& state, bool) { return !state.stopping; });
}

// Checks until this host can run snippets; the controller is asked for none before that. The
// program that serves them may still be starting when this is checked first.
bool CallHost::look() {
  constexpr int kToldAt = 2;
  for (int looks = 1;; ++looks) {
    const Status looked = service_.look();
    state_.with([&](State& state) {
      state.looked = true;
      state.snippets_ready = looked.ok();
    });
    if (looked.ok()) return true;
    if (looks == kToldAt)
      log_warn("this node takes no snippets", {{"error", looked.error().describe()}});
    const MonoTime until = clock_.mono() + (looks < kToldAt ? kFirstBackOff * 5 : kLookAgain);
    while (clock_.mono() < until) {
      if (!rest(std::min(until - clock_.mono(), clean_up()))) return false;
    }
  }
}

void CallHost::maintain() {
  keep_a_lane();
  if (snippets_enabled_ && !look()) return;
  Millis next{0};
  do {
    next = clean_up();
    next = std::min(next, snippets_enabled_ ? service_.maintain() : kLookAgain);
  } while (rest(next));
}

// Removes what has ended; returns how long until there is more to remove.
Millis CallHost::clean_up() {
  join_ended();
  keep_a_lane();
  const Millis next = sessions_.clean_up();
  return std::min(next, deferred_teardown_.clean_up());
}

void CallHost::keep_a_lane() {
  state_.with([this](State& state) {
    if (!state.stopping && state.lanes.empty()) add_lane(state);
  });
}

void CallHost::add_lane(State& state) {
  int64_t number = 0;
  while (state.lanes.contains(number)) ++number;
  auto thread = start_thread([this, number] { this->lane(number); });
  if (!thread) {
    log_warn("the agent has no further lane for calls", {{"error", thread.error().describe()}});
    return;
  }
  Lane& lane = state.lanes[number];
  lane.idle = true;
  lane.thread = std::move(*thread);
}

void CallHost::join_ended() {
  std::vector<std::thread> ended;
  state_.with([&](State& state) {
    for (auto each = state.lanes.begin(); each != state.lanes.end();) {
      if (!each->second.over) {
        ++each;
        continue;
      }
      ended.push_back(std::move(each->second.thread));
      each = state.lanes.erase(each);
    }
  });
  for (std::thread& each : ended) each.join();
}

std::shared_ptr<client::ControllerClient> CallHost::connect(int64_t number) {
  auto made = std::make_shared<client::ControllerClient>(endpoint_());
  state_.with([&](State& state) {
    if (state.stopping) made->abort();
    state.lanes[number].client = made;
  });
  return made;
}

// The lane's next request; nothing if the lane is not needed any more. `done`: the request brings
// no answer, so the lane may end.
std::optional<contracts::CallsRequest> CallHost::next_request(int64_t number, bool& done,
                                                              MonoTime idle_since) {
  contracts::CallsRequest out;
  out.process = self_.nonce;
  out.generation = self_.generation;
  out.lane = number;
  return state_.with([&](State& state) -> std::optional<contracts::CallsRequest> {
    Lane& lane = state.lanes[number];
    const auto others = std::ranges::count_if(
        state.lanes, [&](const auto& each) { return each.second.idle && each.first != number; });
    done = clock_.mono() - idle_since > kIdleLane && others > 0 && number > 0;
    if (state.stopping || done) {
      lane.idle = false;
      return std::nullopt;
    }
    lane.idle = true;
    const bool ready = state.snippets_ready;
    // Says nothing of snippets before the first check: a caller who comes that early waits instead
    // of being turned away.
    if (ready)
      out.snippets = service_.skills();
    else if (state.looked || !snippets_enabled_)
      out.snippets = contracts::SnippetSkills{};
    out.wait_ms = (ready || !snippets_enabled_ ? kHold : kHoldUntilReady).count();
    out.takes_snippets = ready && takes_snippets(state.under_way, places_);
    out.takes = takes_calls(state.under_way, places_, ready);
    out.places = places_.others;
    out.dropped = std::exchange(state.heard, {});
    for (const auto& [id, event] : state.calls) {
      if (state.unsure) out.holds.push_back(id);
    }
    if (!state.calls.empty()) out.wait_ms = std::min(out.wait_ms, kHoldWhileBusy.count());
    return out;
  });
}

void CallHost::drop_calls(const std::vector<std::string>& drops) {
  constexpr size_t kMostEarly = 1024;
  state_.with([&](State& state) {
    for (const std::string& id : drops) {
      state.heard.push_back(id);
      const auto found = state.calls.find(id);
      if (found != state.calls.end()) {
        found->second.raise();
        continue;
      }
      // Another lane may be about to begin this call.
      if (state.early.insert(id).second) state.early_order.push_back(id);
      if (state.early_order.size() <= kMostEarly) continue;
      state.early.erase(state.early_order.front());
      state.early_order.pop_front();
    }
  });
  changed_.notify_all();  // one of them may wait for a place
}

// Calls end with who asked for them: a controller that no lane reaches has told its callers that we
// are lost, or is gone itself.
void CallHost::note_answer(bool answered, bool told_what_is_held) {
  const MonoTime now = clock_.mono();
  state_.with([&](State& state) {
    if (answered) {
      state.alone_since.reset();
      if (told_what_is_held) state.unsure = false;
      return;
    }
    state.unsure = true;
    if (!state.alone_since) state.alone_since = now;
    if (now - *state.alone_since < kAlone) return;
    for (const auto& [id, event] : state.calls) event.raise();
  });
}

// A descriptor that becomes readable when the call is to end.
int CallHost::register_call(const std::string& id) {
  os::Event event;
  const int drop = event.fd();
  state_.with([&](State& state) {
    if (state.stopping || state.early.contains(id)) event.raise();
    state.calls[id] = std::move(event);
  });
  return drop;
}

void CallHost::lane(int64_t number) {
  auto client = connect(number);
  std::optional<contracts::CallAnswer> answer;
  Millis back_off = kFirstBackOff;
  int failures = 0;
  MonoTime idle_since = clock_.mono();
  bool done = false;
  while (auto request = next_request(number, done, idle_since)) {
    request->answer = answer;
    auto told = client->exchange_calls(node_, *request);
    note_answer(told.ok(), !request->holds.empty());
    if (!told.ok()) {
      drop_calls(request->dropped);  // to be said again
      const MonoTime until = clock_.mono() + back_off;
      back_off = std::min(back_off * 2, longest_backoff(++failures, client->servers()));
      while (clock_.mono() < until && pause(until - clock_.mono())) {
      }
      client = connect(number);  // perhaps with another credential
      continue;
    }
    back_off = kFirstBackOff;
    failures = 0;
    answer.reset();
    drop_calls(told->drop);
    if (!told->call) continue;
    const std::string kind = told->call->kind;
    state_.with([&](State& state) {
      ++state.under_way.of(kind);
      state.lanes[number].idle = false;
      const bool listens =
          std::ranges::any_of(state.lanes, [](const auto& each) { return each.second.idle; });
      if (!listens && !state.stopping) add_lane(state);
    });
    answer = serve(std::move(*told->call));
    state_.with([&](State& state) { --state.under_way.of(kind); });
    changed_.notify_all();  // for who waits for a place
    idle_since = clock_.mono();
  }
  state_.with([&](State& state) { state.lanes[number].over = true; });
}

void CallHost::stop() {
  state_.with([](State& state) {
    state.stopping = true;
    for (const auto& [id, event] : state.calls) event.raise();
    for (const auto& [number, lane] : state.lanes) {
      if (lane.client) lane.client->abort();
    }
  });
  changed_.notify_all();
  wakeup_.schedule(std::chrono::microseconds(0));
  if (maintainer_.joinable()) maintainer_.join();
  std::map<int64_t, Lane> lanes;
  state_.with([&](State& state) {
    for (auto& [number, lane] : state.lanes) lanes[number].thread = std::move(lane.thread);
  });
  for (auto& [number, lane] : lanes) {
    if (lane.thread.joinable()) lane.thread.join();
  }
}

}  // namespace paddock::agent

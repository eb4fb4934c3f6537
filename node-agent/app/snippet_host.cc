#include "node-agent/app/snippet_host.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::agent {
namespace {

constexpr const char* kLibraryDir = "/opt/sandbox";
constexpr Millis kHold{20'000};
constexpr Millis kIdleLane{60'000};
constexpr Millis kLookAgain{30'000};
constexpr Millis kFirstBackOff{200};
constexpr Millis kLongestBackOff{5'000};
constexpr int64_t kNobody = 65534;

void raise(const os::Fd& event) {
  const uint64_t one = 1;
  (void)!::write(event.get(), &one, sizeof one);
}

contracts::CallAnswer failure(const std::string& id, const Error& error) {
  contracts::CallAnswer out;
  out.id = id;
  out.failure = contracts::CallFailure{error.reason, error.message};
  return out;
}

}  // namespace

Result<snippets::Setting> snippet_setting_of(const AgentConfig& config) {
  snippets::Setting out;
  out.config = config.snippets;
  ASSIGN_OR_RETURN(out.profile, snippets::load_profile(config.snippets));
  out.ceilings = config.ceilings;
  if (::geteuid() == 0) out.uid = kNobody;
  if (::access(kLibraryDir, R_OK | X_OK) == 0) out.library_dir = kLibraryDir;
  return out;
}

SnippetHost::SnippetHost(const snippets::Setting& setting, std::string node,
                         executor::LaunchServer& server, AgentProcess self,
                         std::function<http::Endpoint()> endpoint, const Clock& clock)
    : most_(setting.config.max_parallel),
      enabled_(setting.config.enabled),
      node_(std::move(node)),
      self_(std::move(self)),
      endpoint_(std::move(endpoint)),
      clock_(clock),
      service_(setting, {server.socket(), [&server] { server.revive(); },
                         [this] {
                           state_.with([](State& state) { state.stirred = true; });
                           changed_.notify_all();
                         },
                         clock}) {
  if (enabled_) tender_ = std::thread([this] { tend(); });
}

bool SnippetHost::rest(Millis limit) {
  return state_.wait_for(
      changed_, limit, [](State& state) { return state.stopping || state.stirred; },
      [](State& state, bool) {
        state.stirred = false;
        return !state.stopping;
      });
}

// Until this host can take snippets, the controller is asked for none.
bool SnippetHost::look() {
  for (bool told = false;; told = true) {
    const Status looked = service_.look();
    if (looked.ok()) return true;
    if (!told) log_warn("this node takes no snippets", {{"error", looked.error().describe()}});
    const MonoTime until = clock_.mono() + (told ? kLookAgain : kFirstBackOff * 5);
    while (clock_.mono() < until) {
      if (!rest(until - clock_.mono())) return false;
    }
  }
}

void SnippetHost::tend() {
  if (!look()) return;
  state_.with([this](State& state) {
    if (!state.stopping) add_lane(state);
  });
  while (rest(service_.tend())) {
    join_ended();
  }
}

void SnippetHost::add_lane(State& state) {
  int64_t number = 0;
  while (state.lanes.contains(number)) ++number;
  Lane& lane = state.lanes[number];
  lane.idle = true;
  lane.thread = std::thread([this, number] { this->lane(number); });
}

void SnippetHost::join_ended() {
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

std::shared_ptr<client::ControllerClient> SnippetHost::connect(int64_t number) {
  auto made = std::make_shared<client::ControllerClient>(endpoint_());
  state_.with([&](State& state) {
    if (state.stopping) made->abort();
    state.lanes[number].client = made;
  });
  return made;
}

// Nothing: the lane is not needed any more. `done`: it brings no answer and so may end.
std::optional<contracts::CallsRequest> SnippetHost::next_request(int64_t number, bool& done,
                                                                 MonoTime idle_since) {
  contracts::CallsRequest out;
  out.session = self_.nonce;
  out.generation = self_.generation;
  out.lane = number;
  out.snippets = service_.skills();
  out.wait_ms = kHold.count();
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
    out.takes = state.busy < most_;
    out.dropped = std::exchange(state.heard, {});
    return out;
  });
}

void SnippetHost::heed(const std::vector<std::string>& drops) {
  state_.with([&](State& state) {
    for (const std::string& id : drops) {
      const auto found = state.calls.find(id);
      if (found != state.calls.end()) raise(found->second);
      state.heard.push_back(id);
    }
  });
}

contracts::CallAnswer SnippetHost::serve(const contracts::NodeCall& call) {
  if (call.kind != contracts::kSnippetCall)
    return failure(call.id, {Code::kUnavailable, "CALL_UNKNOWN", "the node knows no such call"});
  const auto order = wire::decode<contracts::SnippetOrder>(call.payload);
  if (!order.ok()) return failure(call.id, order.error());
  os::Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const int drop = event.get();
  state_.with([&](State& state) {
    if (state.stopping) raise(event);
    state.calls[call.id] = std::move(event);
  });
  const auto ran = service_.execute(*order, drop);
  state_.with([&](State& state) { state.calls.erase(call.id); });
  if (!ran.ok()) return failure(call.id, ran.error());
  contracts::CallAnswer out;
  out.id = call.id;
  out.result = wire::encode(*ran);
  return out;
}

void SnippetHost::lane(int64_t number) {
  auto client = connect(number);
  std::optional<contracts::CallAnswer> answer;
  Millis back_off = kFirstBackOff;
  MonoTime idle_since = clock_.mono();
  bool done = false;
  while (auto request = next_request(number, done, idle_since)) {
    request->answer = answer;
    const auto told = client->exchange_calls(node_, *request);
    if (!told.ok()) {
      heed(request->dropped);  // to be said again
      const MonoTime until = clock_.mono() + back_off;
      back_off = std::min(back_off * 2, kLongestBackOff);
      while (clock_.mono() < until && rest(until - clock_.mono())) {
      }
      client = connect(number);  // perhaps with another credential
      continue;
    }
    back_off = kFirstBackOff;
    answer.reset();
    heed(told->drop);
    if (!told->call) continue;
    state_.with([&](State& state) {
      ++state.busy;
      state.lanes[number].idle = false;
      const bool listens =
          std::ranges::any_of(state.lanes, [](const auto& each) { return each.second.idle; });
      if (!listens && !state.stopping) add_lane(state);
    });
    answer = serve(*told->call);
    state_.with([](State& state) { --state.busy; });
    idle_since = clock_.mono();
  }
  state_.with([&](State& state) { state.lanes[number].over = true; });
}

void SnippetHost::stop() {
  state_.with([](State& state) {
    state.stopping = true;
    for (const auto& [id, event] : state.calls) raise(event);
    for (const auto& [number, lane] : state.lanes) {
      if (lane.client) lane.client->abort();
    }
  });
  changed_.notify_all();
  if (tender_.joinable()) tender_.join();
  std::map<int64_t, Lane> lanes;
  state_.with([&](State& state) {
    for (auto& [number, lane] : state.lanes) lanes[number].thread = std::move(lane.thread);
  });
  for (auto& [number, lane] : lanes) {
    if (lane.thread.joinable()) lane.thread.join();
  }
}

}  // namespace paddock::agent

#include "common/http/lead_watch.h"

#include <utility>

#include "common/base/start_thread.h"

namespace paddock::http {
namespace {

constexpr Millis kUntilAsked{3'600'000};  // while nobody waits

MonoTime now() {
  return {std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now().time_since_epoch())
              .count()};
}

// By its own address alone, without a token: what is asked is answered to everybody.
std::unique_ptr<Client> server_at(const Endpoint& endpoint, const std::string& address) {
  return make_client({address, endpoint.unix_socket, endpoint.ca_pem, {}});
}

}  // namespace

std::shared_ptr<LeadWatch> make_lead_watch() { return std::make_shared<LeadWatch>(); }

LeadWatch::Waiting::Waiting(LeadWatch& watch, const Endpoint& endpoint, size_t address,
                            std::function<void()> wake)
    : watch_(watch), address_(address), wake_(std::move(wake)) {
  watch_.begin(endpoint, *this);
}
LeadWatch::Waiting::~Waiting() { watch_.end(*this); }

LeadWatch::~LeadWatch() {
  state_.with([](State& state) {
    state.stopping = true;
    for (const auto& each : state.servers) each->abort();
  });
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// Without a thread nobody is told, and waits as for a single server.
void LeadWatch::begin(const Endpoint& endpoint, Waiting& who) {
  state_.with([&](State& state) {
    if (state.servers.empty()) {
      for (const std::string& each : addresses_in(endpoint.base_url))
        state.servers.push_back(server_at(endpoint, each));
      state.silences.resize(state.servers.size());
      state.turn = endpoint.turn;
    }
    if (!thread_.joinable()) {
      auto thread = start_thread([this] { watch(); });
      if (thread) thread_ = std::move(*thread);
    }
    if (who.address_ >= state.silences.size()) return;
    state.waiting.insert(&who);
    state.news = true;
  });
  changed_.notify_all();
}

void LeadWatch::end(Waiting& who) {
  state_.with([&](State& state) { state.waiting.erase(&who); });
}

void LeadWatch::heard(size_t address, MonoTime when) {
  state_.with([&](State& state) {
    if (address < state.silences.size()) state.silences[address].heard(when);
  });
}

void LeadWatch::watch() {
  while (const std::optional<Doubted> doubted = next()) {
    const MonoTime asked = now();
    if (says_yes(doubted->address, "/livez", doubted->patience)) {
      heard(doubted->address, asked);
      continue;
    }
    if (const auto leader = find_leader(doubted->address)) tell(doubted->address, *leader);
    state_.with([&](State& state) { state.silences[doubted->address].unanswered(now()); });
  }
}

// The server that is to be asked now, if there is one; else how long there is none.
std::optional<LeadWatch::Doubted> LeadWatch::due(const State& state, MonoTime at,
                                                 Millis& rest) const {
  rest = kUntilAsked;
  for (const Waiting* each : state.waiting) {
    if (each->moved()) continue;
    const Silence& silence = state.silences[each->address_];
    const Millis left = silence.asks_at(times_) - at;
    if (left <= Millis(0)) return Doubted{each->address_, silence.patience(times_)};
    rest = std::min(rest, left);
  }
  return std::nullopt;
}

// Nothing: the watch ends.
std::optional<LeadWatch::Doubted> LeadWatch::next() {
  Millis rest{0};
  while (true) {
    std::optional<Doubted> found;
    const bool stopping = state_.wait_for(
        changed_, rest, [](const State& state) { return state.stopping || state.news; },
        [&](State& state, bool) {
          state.news = false;
          found = due(state, now(), rest);
          return state.stopping;
        });
    if (stopping) return std::nullopt;
    if (found) return found;
  }
}

bool LeadWatch::says_yes(size_t address, const char* target, Millis patience) {
  Client& server = *state_.with([&](State& state) { return state.servers[address].get(); });
  Request request;
  request.target = target;
  request.timeout = patience;
  const auto answer = server.send(request);
  return answer.ok() && answer->status == 200;
}

std::optional<size_t> LeadWatch::find_leader(size_t besides) {
  const size_t count = state_.with([](const State& state) { return state.servers.size(); });
  for (size_t i = 1; i < count; ++i) {
    const size_t other = (besides + i) % count;
    if (says_yes(other, "/readyz", times_.to_answer)) return other;
  }
  return std::nullopt;
}

void LeadWatch::tell(size_t former, size_t leader) {
  state_.with([&](State& state) {
    size_t turn = state.turn->load();
    while (turn % state.servers.size() == former &&
           !state.turn->compare_exchange_weak(turn, leader)) {
    }
    for (Waiting* each : state.waiting) {
      if (each->address_ == former && !each->moved_.exchange(true)) each->wake_();
    }
  });
}

}  // namespace paddock::http

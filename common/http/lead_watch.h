// Who waits in silence for one of several servers is told when another one leads: one that is
// stopped, or whose host is gone, closes no connection. Nobody who waits is disturbed by less: a
// server that is only slow is waited for, as long as no other one says that it leads. So two
// addresses of one server are told apart only while it lives. While nobody waits in silence,
// nothing is asked. One per process, shared by all copies of an endpoint; thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "common/base/guarded.h"
#include "common/http/http_client.h"
#include "common/http/silence.h"

namespace paddock::http {

class LeadWatch {
 public:
  explicit LeadWatch(const SilenceTimes& times = {}) : times_(times) {}
  ~LeadWatch();
  LeadWatch(const LeadWatch&) = delete;
  LeadWatch& operator=(const LeadWatch&) = delete;

  // One exchange that has been silent for a while; it leaves the watch with this object.
  class Waiting {
   public:
    // `wake` is called once at most, when moved() has become true, and must not block.
    Waiting(LeadWatch& watch, const Endpoint& endpoint, size_t address, std::function<void()> wake);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    // When something of its answer came last.
    void heard(MonoTime when) { watch_.heard(address_, when); }
    // Another server leads, and this one gives no sign of life.
    bool moved() const { return moved_.load(); }

   private:
    friend class LeadWatch;
    LeadWatch& watch_;
    const size_t address_;
    const std::function<void()> wake_;
    std::atomic<bool> moved_{false};
  };

  const SilenceTimes& times() const { return times_; }

 private:
  struct State {
    std::vector<std::unique_ptr<Client>> servers;  // by address; made once
    std::vector<Silence> silences;                 // likewise
    std::shared_ptr<std::atomic<size_t>> turn;
    std::set<Waiting*> waiting;
    bool news = false;  // somebody waits who did not before
    bool stopping = false;
  };
  struct Doubted {
    size_t address;
    Millis patience;
  };

  void begin(const Endpoint& endpoint, Waiting& who);
  void end(Waiting& who);
  void heard(size_t address, MonoTime when);
  void watch();
  std::optional<Doubted> next();
  std::optional<Doubted> due(const State& state, MonoTime now, Millis& rest) const;
  bool says_yes(size_t address, const char* target, Millis patience);
  std::optional<size_t> find_leader(size_t besides);
  void tell(size_t former, size_t leader);

  const SilenceTimes times_;
  Guarded<State> state_;
  std::condition_variable changed_;
  std::thread thread_;  // begins with the first who waits
};

}  // namespace paddock::http

// One controller and some hosts under one seed. Each step something happens: time passes, a message
// is sent, lost, repeated or arrives late and out of order, a host is cut off, somebody crashes or
// comes back, the controller's disk refuses a write.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "controller/nodes/leases.h"
#include "controller/reconciler/reconciler.h"
#include "controller/store/store.h"
#include "tests/simulation/agent_host.h"
#include "tests/simulation/faulty_store.h"

namespace paddock::simulation {

struct Faults {
  uint64_t lose = 0;  // in a hundred, each
  uint64_t repeat = 0;
  uint64_t crash = 0;
  uint64_t cut_off = 0;
  uint64_t restart_controller = 0;
  uint64_t skew = 0;
  uint64_t disk = 0;
  uint64_t refuse = 0;  // of runs that a host is given
  uint64_t pause = 0;   // of the controller: it stands still, and goes on as if nothing had been
};

// How many runs of the namespace "limited" may be placed at once.
inline constexpr int64_t kLimitedRuns = 2;
// A namespace that a grant bounds, one way now and another way later.
inline constexpr const char* kBoundedSpace = "bounded";

class World {
 public:
  World(uint64_t seed, Faults faults, Tampering tampering = {});
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  void step();
  void stop_faults();
  bool all_runs_ended();

  store::Store& store() { return *store_; }
  MonoTime now() const { return clock_.mono(); }
  WallTime calendar() const { return clock_.wall(); }
  const std::vector<std::unique_ptr<AgentHost>>& hosts() const { return hosts_; }
  const std::vector<std::string>& acknowledged() const { return acknowledged_; }
  // Runs that were sent and refused.
  const std::vector<std::string>& refused() const { return refused_; }
  bool cancel_was_asked(const contracts::Run& run) const {
    const auto& element = run.status.element;  // of the gang as a whole
    return cancelled_.contains(run.metadata.uid) || (element && cancelled_.contains(element->uid));
  }
  // The lines that an attempt of an agent run was sent, in order.
  const std::vector<std::string>& sent_to(const std::string& attempt) { return sent_[attempt]; }
  // How long the controller lived without taking a call of this host: not the time that it stood
  // still, nor that before it came up.
  Millis silence_of(const std::string& host) const;
  // The first thing that went wrong on a path that must not fail; empty if nothing did.
  const std::string& broken() const { return broken_; }

 private:
  struct Request {
    size_t host = 0;
    uint64_t call = 0;
    contracts::SyncRequest body;
  };
  struct Held {
    Request request;
    contracts::SyncAnswer answer;
    MonoTime until;
  };
  struct Answer {
    size_t host = 0;
    uint64_t call = 0;
    Result<contracts::SyncAnswer> body;
    MonoTime due;
  };
  bool chance(uint64_t percent) { return random_.below(100) < percent; }
  bool fault(uint64_t percent) { return !quiet_ && chance(percent); }
  bool lost(size_t host) { return fault(faults_.lose) || now() < cut_off_until_[host]; }
  Millis up_to(uint64_t ms) { return Millis(static_cast<int64_t>(random_.below(ms))); }
  void start_controller();
  void operate_some_node();
  void leave_one_that_refused();
  void set_cordoned(const std::string& name, bool cordoned);
  void compare_views();
  void add_host(int64_t index);
  void pass_time();
  void pause_now_and_then();
  void disturb();
  void submit_run();
  void submit_gang_now_and_then();
  void meet_members();
  void cancel_some_run();
  void answer_agents();
  void change_quota();
  void put_quota(const std::optional<contracts::ComputeQuota>& quota);
  void run_host(size_t index);
  bool crash_or_come_back(size_t index);
  void run_lane(size_t index, sync::Lane lane);
  Result<contracts::SyncAnswer> synchronize(const Request& request);
  void deliver_request();
  void deliver_answer();
  void deliver_requests();
  void deliver_answers();
  void look_at_held_calls();
  void answer(const Request& request, Result<contracts::SyncAnswer> body);
  void tick();
  void must(const Status& status, const char* what);

  SeededRandom random_;
  Faults faults_;
  const Tampering tampering_;
  ManualClock clock_;
  std::unique_ptr<FaultyStore> store_;
  std::unique_ptr<nodes::LeaseTable> leases_;
  std::unique_ptr<reconciler::Reconciler> reconciler_;
  std::vector<std::unique_ptr<AgentHost>> hosts_;
  std::vector<MonoTime> cut_off_until_;  // by host, as is the next
  std::vector<MonoTime> down_until_;
  std::deque<Request> requests_;
  std::deque<Held> held_;
  std::deque<Answer> answers_;
  std::vector<std::string> acknowledged_;
  std::vector<std::string> refused_;
  std::set<std::string> cancelled_;
  std::set<std::string> met_;            // members of gangs
  std::map<std::string, Millis> heard_;  // in time that the controller lived
  std::map<std::string, std::vector<std::string>> sent_;
  SeededRandom pauses_;  // of their own: other faults stay where they are
  SeededRandom gangs_;   // likewise
  const bool has_gangs_;
  MonoTime paused_until_;
  Millis lived_{0};
  Millis listening_{0};
  std::string broken_;
  bool preemption_ = false;
  bool quiet_ = false;  // faults and new work are over
};

}  // namespace paddock::simulation

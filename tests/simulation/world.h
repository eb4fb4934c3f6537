// One controller and some agents under one seed. Each step something happens: time passes, a
// message is sent, lost, repeated or arrives late, somebody crashes or comes back.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "controller/nodes/leases.h"
#include "controller/store/store.h"
#include "tests/simulation/agent_model.h"

namespace paddock::simulation {

struct Faults {
  uint64_t lose = 0;  // in a hundred, each
  uint64_t repeat = 0;
  uint64_t crash = 0;
  uint64_t restart_controller = 0;
  uint64_t skew = 0;
};

class World {
 public:
  World(uint64_t seed, Faults faults);
  void step();
  void stop_faults();
  bool all_runs_ended();

  store::Store& store() { return *store_; }
  const std::vector<std::unique_ptr<AgentModel>>& agents() const { return agents_; }
  const std::vector<std::string>& acknowledged() const { return acknowledged_; }
  // The first thing that went wrong on a path that must not fail; empty if nothing did.
  const std::string& broken() const { return broken_; }

 private:
  struct Request {
    size_t agent;
    contracts::SyncRequest body;
  };
  struct Answer {
    size_t agent;
    std::string session;
    contracts::SyncAnswer body;
  };
  bool chance(uint64_t percent) { return random_.below(100) < percent; }
  void add_agent(int64_t index);
  void submit_run();
  void cancel_some_run();
  void run_agent(size_t index);
  void deliver_request();
  void deliver_answer();
  void tick();
  void must(const Status& status, const char* what);

  SeededRandom random_;
  Faults faults_;
  ManualClock clock_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<nodes::LeaseTable> leases_;
  std::vector<std::unique_ptr<AgentModel>> agents_;
  std::deque<Request> requests_;
  std::deque<Answer> answers_;
  std::vector<std::string> acknowledged_;
  std::string broken_;
  bool quiet_ = false;  // faults and new work are over
};

}  // namespace paddock::simulation

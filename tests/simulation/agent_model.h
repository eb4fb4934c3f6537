// A small model of a node agent, written apart from the production agent: driven by desired state
// only. What is on "disk" (the spool) survives a crash; the rest does not.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/contracts/session.h"

namespace paddock::simulation {

struct SpooledRun {
  int64_t attempt = 0;
  bool started = false;
  int64_t lines_left = 0;          // output still to come before it ends
  std::vector<std::string> lines;  // everything written so far; seq is the index + 1
  int64_t acked = 0;
  bool ended = false;
  contracts::RunPhase how = contracts::RunPhase::kSucceeded;
};

class AgentModel {
 public:
  AgentModel(std::string name, contracts::NodeStatus host, Random& random);

  const std::string& name() const { return name_; }
  const contracts::NodeStatus& host() const { return host_; }
  bool up() const { return up_; }
  void crash() { up_ = false; }
  void start(int64_t now_ms);  // a new process with the old disk

  // The runs go on, whether or not the agent process is up: they outlive it.
  void work();
  contracts::SyncRequest observe(int64_t wall_ms);
  void receive(const contracts::SyncAnswer& answer);
  void superseded() { up_ = false; }

  // Every (run, attempt) whose command was ever started here, and the lines that it wrote.
  const std::map<std::string, std::vector<std::string>>& written() const { return written_; }
  const std::map<std::string, int>& starts() const { return starts_; }

 private:
  void begin(const contracts::Assignment& assignment);

  std::string name_;
  contracts::NodeStatus host_;
  Random& random_;
  bool up_ = false;
  std::string session_;
  int64_t generation_ = 0;
  bool told_status_ = false;
  std::string known_version_;
  std::map<std::string, SpooledRun> spool_;
  std::map<std::string, std::vector<std::string>> written_;
  std::map<std::string, int> starts_;
};

std::string attempt_key(const std::string& run_uid, int64_t attempt);

}  // namespace paddock::simulation

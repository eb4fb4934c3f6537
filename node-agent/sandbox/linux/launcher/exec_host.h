// Takes commands to be executed in a run while it runs (contracts/launch.h, `execSocket`). Each is
// served by a thread of its own, which can hold up neither the run nor its end; a run that nobody
// executes in has a socket and no thread. The calls are for the supervisor's thread.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/contracts/launch.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/seccomp/syscall_table.h"
#include "node-agent/sandbox/plan/plan.h"

namespace paddock::sandbox {

// The parts of a run that a command executed in it needs.
struct ExecGround {
  contracts::LaunchRequest request;  // its environment, workdir and secrets
  SandboxPlan plan;                  // what of it is not done yet: no mounts, no cgroup
  LaunchChoices choices;
  uid_t stream_owner = 0;  // of the pipes for its output
  gid_t stream_group = 0;
  bool lends_streams = false;  // they are given to that user
  os::Fd init;                 // the talk with the run's init
  os::Fd ruleset;  // Landlock's; invalid: the command has it from init, or there is none
  bool has_ruleset = false;
};

class ExecHost {
 public:
  // Listens at the request's `execSocket`. `clock` must live as long as the process.
  static Result<std::unique_ptr<ExecHost>> open(const std::string& socket, const Clock& clock);
  // Waits a moment for those who still tell their clients how it ended.
  ~ExecHost();
  ExecHost(const ExecHost&) = delete;
  ExecHost& operator=(const ExecHost&) = delete;

  // Readable when there is a client; -1: none is taken.
  int fd() const { return listener_.get(); }
  // From now on commands can be executed.
  void begin(ExecGround ground);
  // Serves the next client, who is heard and judged by the thread.
  void take_client();
  // The run's own command has ended: all others end, and nobody is served any more.
  void end_all();
  // Once nothing of the run is alive: waits a moment for what was found of the others.
  void settle();
  // The denials of the run's further commands; each names its command.
  std::vector<contracts::Denial> take_denials();
  bool reached_broker() const;
  std::set<int> limit_signals_sent() const;

 private:
  struct Shared;
  explicit ExecHost(std::shared_ptr<Shared> shared, os::Fd listener);
  static void* serve(void* client);
  struct Client;

  std::shared_ptr<Shared> shared_;
  os::Fd listener_;
};

}  // namespace paddock::sandbox

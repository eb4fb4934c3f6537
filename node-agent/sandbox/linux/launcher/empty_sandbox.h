// A sandbox in which nothing runs yet: closed, filtered and without privileges, its process waits
// to be told what to execute. Serving launchers make one before there is a request; it serves one
// request, and is destroyed with whatever it was or was not used for. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/egress/broker_process.h"
#include "node-agent/sandbox/linux/filesystem/proc_names.h"
#include "node-agent/sandbox/linux/filesystem/view.h"
#include "node-agent/sandbox/linux/launcher/kit.h"
#include "node-agent/sandbox/linux/launcher/supervise.h"

namespace paddock::sandbox {

struct OwnView;

class EmptySandbox {
 public:
  // For any request that a prepared one fits(); only with a shared view, which outlives it.
  static Result<std::unique_ptr<EmptySandbox>> prepare(const LaunchKit& kit);
  // For this plan alone. `broker`: nullptr without a network.
  static Result<std::unique_ptr<EmptySandbox>> make(const LaunchKit& kit, const SandboxPlan& plan,
                                                    BrokerProcess* broker);
  // Ends its processes and removes its cgroup, if that was not done.
  ~EmptySandbox();
  EmptySandbox(const EmptySandbox&) = delete;
  EmptySandbox& operator=(const EmptySandbox&) = delete;

  // Whether it still waits and is what this plan needs: after fit(), the same plan.
  bool fits(const SandboxPlan& plan) const;
  // Finishes all that depends on the plan; once: what was fitted before stays as it is.
  Status fit(const SandboxPlan& plan);
  // The command opens its streams by their names in /dev too, and so is to own them. Only of pipes
  // that this launcher made for this run: what it could read there is its own.
  Status lend(const os::Fd& pipe) const;
  // Gives the word, after fit(). From then on the processes are the supervisor's to end. `input`:
  // the command's standard input; -1: /dev/null.
  Result<RunningSandbox> start(const contracts::LaunchRequest& request, const SandboxPlan& plan,
                               int input = -1);
  // What the supervisor left of them is this object's to end again.
  void take_back(RunningSandbox left) { processes_ = std::move(left); }
  // After fit(): why it has not the loopback device that the plan wants.
  const Status& loopback() const { return loopback_; }
  Cgroup& cgroup() { return *cgroup_; }
  pid_t init() const { return processes_.pid; }

 private:
  explicit EmptySandbox(const HostIdentity& identity) : identity_(identity) {}
  // `plan`: none is known yet.
  Status start_processes(const LaunchKit& kit, OwnView* own_view, const SandboxPlan* plan,
                         BrokerProcess* broker);
  Status make_view(const LaunchKit& kit, const std::vector<MountEntry>& table,
                   const MachineShare& share);
  Result<os::Fd> ruleset_for(const SandboxPlan& plan, int root);
  bool waits() const;
  Status wait_until_closed();
  Result<ControlMessage> expect(ControlMessage::Type type);

  HostIdentity identity_;
  std::unique_ptr<Cgroup> cgroup_;
  RunningSandbox processes_;
  std::optional<View> view_;              // none: the child made its own
  const SharedView* prepared_ = nullptr;  // what is in place is this; none: all of one plan
  ProcNames proc_names_;                  // in the view
  MachineMoment moment_;                  // when they were shown
  os::Fd ruleset_;                        // Landlock's, of what is in place
  bool bounded_ = false;                  // its processors will be
  bool fitted_ = false;
  bool lent_network_ = false;  // it is in the launcher's own network
  Status loopback_;
  bool has_ruleset_ = false;  // the command takes one
  os::Fd mount_namespace_;    // of init: held, its end costs us time and not init's reaper
};

// Whether launchers of this host can make the view, and so an empty sandbox ahead of time.
bool launcher_makes_views(const HostFacts& host);

}  // namespace paddock::sandbox

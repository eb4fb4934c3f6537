// A sandbox in which no command runs yet. It is closed and filtered and has no privileges; its
// process waits to be told what to execute. A serving launcher makes one before there is a request.
// It serves one request at most, and its destructor removes everything. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/egress/broker_process.h"
#include "node-agent/sandbox/linux/filesystem/proc_names.h"
#include "node-agent/sandbox/linux/filesystem/view.h"
#include "node-agent/sandbox/linux/launcher/launcher_context.h"
#include "node-agent/sandbox/linux/launcher/supervise.h"

namespace paddock::sandbox {

struct ChildContext;
struct OwnView;

class PreparedSandbox {
 public:
  // Makes one before the request is known: fits() says later whether it serves. The launcher must
  // have a shared view, and that must outlive the sandbox.
  static Result<std::unique_ptr<PreparedSandbox>> prepare(const LauncherContext& launcher);
  // Makes one for this plan alone. `broker` is nullptr if the plan has no network.
  static Result<std::unique_ptr<PreparedSandbox>> make(const LauncherContext& launcher,
                                                       const SandboxPlan& plan,
                                                       BrokerProcess* broker);
  // Kills the processes that are left and removes the cgroup.
  ~PreparedSandbox();
  PreparedSandbox(const PreparedSandbox&) = delete;
  PreparedSandbox& operator=(const PreparedSandbox&) = delete;

  // Whether the sandbox still waits and suits this plan. After fit() only the plan that was fitted
  // may be asked about.
  bool fits(const SandboxPlan& plan) const;
  // Applies everything that depends on the plan: limits, mounts, Landlock. The first call does it,
  // later calls change nothing.
  Status fit(const SandboxPlan& plan);
  // Makes the command's user the owner of `pipe`, so that the command can open its streams by their
  // names in /dev too. Call it only for a pipe that was made for this run: all that could be read
  // there belongs to the run.
  Status lend(const os::Fd& pipe) const;
  // Tells the waiting process what to execute. Call it after fit(). From then on the supervisor
  // ends the processes. `input` is the command's standard input; -1: /dev/null.
  Result<RunningSandbox> start(const contracts::LaunchRequest& request, const SandboxPlan& plan,
                               int input = -1);
  // Takes back the processes that the supervisor left; the destructor ends them.
  void take_back(RunningSandbox left) { processes_ = std::move(left); }
  // After fit(): an error says why the sandbox lacks the loopback device that the plan wants.
  const Status& loopback() const { return loopback_; }
  Cgroup& cgroup() { return *cgroup_; }
  pid_t init() const { return processes_.pid; }
  // The parts that a further command needs, so that it can be executed in this sandbox too. Call it
  // after fit(), before start().
  Result<ExecGround> exec_ground(const contracts::LaunchRequest& request,
                                 const SandboxPlan& plan) const;

 private:
  explicit PreparedSandbox(const HostIdentity& identity) : identity_(identity) {}
  // `plan` is nullptr as long as none is known.
  Status start_processes(const LauncherContext& launcher, OwnView* own_view,
                         const SandboxPlan* plan, BrokerProcess* broker);
  Status clone_init(const LauncherContext& launcher, ChildContext& child);
  Status make_view(const LauncherContext& launcher, const std::vector<MountEntry>& table,
                   const MachineShare& share);
  Result<os::Fd> proc_of_sandbox();
  Result<os::Fd> ruleset_for(const SandboxPlan& plan, int root);
  bool waits() const;
  Status wait_until_closed();
  Result<ControlMessage> expect(ControlMessage::Type type);

  HostIdentity identity_;
  std::unique_ptr<Cgroup> cgroup_;
  RunningSandbox processes_;
  std::optional<View> view_;              // none: the child made its own
  const SharedView* prepared_ = nullptr;  // what the view shows so far; none: all of one plan
  ProcNames proc_names_;                  // the files of ours in the view's /proc
  MachineMoment moment_;                  // the time that these files tell
  os::Fd ruleset_;                        // Landlock's, for what the view shows so far
  os::Fd taken_ruleset_;                  // the one that the command was given
  bool bounded_ = false;                  // its cgroup will limit processors
  bool fitted_ = false;
  bool in_empty_root_ = false;  // its processes never had the host's mounts
  bool lent_network_ = false;   // it uses the launcher's own network namespace
  Status loopback_;
  bool has_ruleset_ = false;  // the command gets a Landlock ruleset
  // Init's. As we hold it too, the kernel destroys it when we let go, and not while it reaps init.
  os::Fd mount_namespace_;
};

// Whether launchers of this host can make the view, and so a prepared sandbox ahead of time.
bool launcher_makes_views(const HostFacts& host);

}  // namespace paddock::sandbox

#include "node-agent/sandbox/linux/command.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/execute.h"
#include "node-agent/sandbox/linux/control.h"
#include "node-agent/sandbox/linux/filter.h"
#include "node-agent/sandbox/linux/landlock.h"
#include "node-agent/sandbox/linux/mounts.h"
#include "node-agent/sandbox/linux/privileges.h"
#include "node-agent/sandbox/linux/raw.h"
#include "node-agent/sandbox/linux/user_namespace.h"

namespace paddock::sandbox {
namespace {

using Type = ControlMessage::Type;

constexpr int kControl = 3;
constexpr int kWitness = 4;

// The command's own user namespace: it owns nothing, not even the mounts, and the kernel counts the
// run's processes in it alone.
Status enter_own_user_namespace(int view) {
  // The ids are written in the view's /proc: there is no other.
  if (fchdir(view) != 0) return step_error("entering the new root", errno);
  // Taking an id made /proc/self root's; this process writes its own map there.
  if (prctl(PR_SET_DUMPABLE, 1) != 0) return step_error("becoming dumpable", errno);
  if (unshare(CLONE_NEWUSER) != 0) return step_error("making the command's user namespace", errno);
  return write_id_maps(0, {kInsideId, kInsideId, kInsideId, kInsideId}, false);
}

// 0: /dev/null, 1 and 2: the pipes, 3 and 4: ours until exec. Nothing else stays open.
Status set_descriptors(const ChildContext& context) {
  constexpr int kAbove = 16;
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int sources[] = {in, context.out, context.err, context.control, context.exec_witness};
  int moved[5];
  for (int i = 0; i < 5; ++i) moved[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, kAbove);
  for (int i = 0; i < 5; ++i) {
    if (moved[i] < 0 || dup3(moved[i], i, i >= kControl ? O_CLOEXEC : 0) < 0) {
      // dup3 needs different numbers; kAbove makes them so.
      return step_error("setting the standard streams", errno);
    }
  }
  if (raw::close_range(kWitness + 1, ~0u) != 0)
    return step_error("closing descriptors", errno, "Linux 5.9 or later is needed");
  return {};
}

void reset_signals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

Status set_rlimits(const std::vector<RlimitSetting>& settings) {
  for (const RlimitSetting& setting : settings) {
    const auto resource = static_cast<__rlimit_resource>(setting.resource);
    rlimit now{};
    if (getrlimit(resource, &now) != 0)
      return step_error(cat("reading the limit ", setting.name), errno);
    // A ceiling that this host already has is lower still.
    const rlimit wanted{std::min<rlim_t>(setting.soft, now.rlim_max),
                        std::min<rlim_t>(setting.hard, now.rlim_max)};
    if (setrlimit(resource, &wanted) != 0)
      return step_error(cat("setting the limit ", setting.name), errno);
  }
  return {};
}

Status install_filters(const SeccompFilters& filters) {
  if (!filters.base.empty()) TRY(install_filter(filters.base));
  ASSIGN_OR_RETURN(const os::Fd listener, install_asking_filter(filters.launch));
  if (!send_listener(kControl, listener.get(), filters.choices.pass))
    return step_error("handing over the filter's listener", errno);
  return {};
}

Status give_up_everything(const ChildContext& context) {
  TRY(enter_own_user_namespace(context.view.get()));
  TRY(enter_root(context.view.get()));
  TRY(leave_keyring());
  if (setsid() < 0) return step_error("making a session", errno);
  TRY(set_descriptors(context));
  umask(022);
  if (chdir(context.request.workdir.c_str()) != 0) return step_error("entering workdir", errno);
  TRY(drop_privileges());
  TRY(apply_landlock(context.plan.landlock));
  TRY(install_filters(context.filters));
  reset_signals();
  return set_rlimits(context.plan.rlimits);
}

}  // namespace

[[noreturn]] void run_command(const ChildContext& context) {
  const std::vector<std::string> files =
      command_files(context.request.command[0], context.request.env);
  if (const Status ready = give_up_everything(context); !ready.ok()) {
    // Either number is the control socket, depending on how far it came.
    if (!send_control(kControl, Type::kFailed, 0, 0, ready.error().message)) {
      send_control(context.control, Type::kFailed, 0, 0, ready.error().message);
    }
    _exit(1);
  }
  send_control(kControl, Type::kNoExec,
               execute(context.request.command, context.request.env, files));
  _exit(127);
}

}  // namespace paddock::sandbox

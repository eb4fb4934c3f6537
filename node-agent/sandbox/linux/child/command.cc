#include "node-agent/sandbox/linux/child/command.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "common/base/text.h"
#include "node-agent/sandbox/command/command_spec.h"
#include "node-agent/sandbox/command/execute.h"
#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/child/privileges.h"
#include "node-agent/sandbox/linux/child/scratch.h"
#include "node-agent/sandbox/linux/child/terminal.h"
#include "node-agent/sandbox/linux/filesystem/root.h"
#include "node-agent/sandbox/linux/kernel/landlock.h"
#include "node-agent/sandbox/linux/kernel/machine.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/seccomp/filter.h"
#include "node-agent/sandbox/linux/users/user_namespace.h"

namespace paddock::sandbox {
namespace {

using Type = ControlMessage::Type;

constexpr int kControl = 3;
constexpr int kOwnRuleset = 4;
constexpr int kExecuting = 5;

// The one that the run's own command has made. Whoever enters it has every capability in it, and
// drops them with the others.
Status join_user_namespace(const os::Fd& users) {
  if (setns(users.get(), CLONE_NEWUSER) != 0)
    return step_error("entering the run's user namespace", errno);
  return {};
}

// Enters a user namespace for the command alone. It owns nothing, not even the mounts, and the
// kernel counts the run's processes there and nowhere else.
Status enter_own_user_namespace(int view) {
  // The id maps are files of /proc, and the only /proc is in the view.
  if (fchdir(view) != 0) return step_error("entering the new root", errno);
  // The change of user made root the owner of /proc/self, where this process has to write its map.
  if (prctl(PR_SET_DUMPABLE, 1) != 0) return step_error("becoming dumpable", errno);
  if (unshare(CLONE_NEWUSER) != 0) return step_error("making the command's user namespace", errno);
  return write_id_maps(0, {kInsideId, kInsideId, kInitId, kInitId}, false);
}

// Descriptor 0 becomes /dev/null, 1 and 2 become the pipes. The control socket, the ruleset and
// what tells of the execution follow and close at exec. Everything else is closed now.
Status set_descriptors(const ChildContext& context) {
  constexpr int kAbove = 16;
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int sources[] = {in,
                         context.out,
                         context.err,
                         context.control,
                         context.ruleset.get(),
                         context.executing.get()};
  int count = context.ruleset.valid() ? kOwnRuleset + 1 : kControl + 1;
  if (context.executing.valid()) count = kExecuting + 1;
  int moved[std::size(sources)];
  for (int i = 0; i < count; ++i) moved[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, kAbove);
  for (int i = 0; i < count; ++i) {
    if (sources[i] < 0) {
      close(i);
    } else if (moved[i] < 0 || dup3(moved[i], i, i >= kControl ? O_CLOEXEC : 0) < 0) {
      // dup3 needs different numbers; kAbove makes them so.
      return step_error("setting the standard streams", errno);
    }
  }
  if (raw::close_range(static_cast<unsigned>(count), ~0u) != 0)
    return step_error("closing descriptors", errno, "Linux 5.9 or later is needed");
  return {};
}

// The launcher has no signal handlers and ignores these alone, so this is all there is to reset.
void reset_signals() {
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// `pass`: these are the policy's, of which the filter asks nobody.
Status set_rlimits(const std::vector<RlimitSetting>& settings, uint32_t pass) {
  for (const RlimitSetting& setting : settings) {
    const auto resource = static_cast<__rlimit_resource>(setting.resource);
    rlimit now{};
    if (getrlimit(resource, &now) != 0)
      return step_error(cat("reading the limit ", setting.name), errno);
    // Where the host's own ceiling is lower, that one stays.
    const rlimit wanted{std::min<rlim_t>(setting.soft, now.rlim_max),
                        std::min<rlim_t>(setting.hard, now.rlim_max)};
    if (now.rlim_cur == wanted.rlim_cur && now.rlim_max == wanted.rlim_max) continue;
    if (syscall(SYS_prlimit64, 0, resource, &wanted, nullptr, pass) != 0)
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

// The ways to be without TCP. Behind the filters no rule about a path can be made, so they lie
// ready until the order says which it is.
struct TcpRulesets {
  os::Fd none;
  os::Fd no_listener;
};

Result<TcpRulesets> make_tcp_rulesets() {
  TcpRulesets out;
  ASSIGN_OR_RETURN(out.none, make_tcp_ruleset(landlock::kBindTcp | landlock::kConnectTcp));
  ASSIGN_OR_RETURN(out.no_listener, make_tcp_ruleset(landlock::kBindTcp));
  return out;
}

Status give_up_tcp(uint64_t rights, const TcpRulesets& rulesets) {
  if (rights == 0) return {};
  const os::Fd& ruleset = rights == landlock::kBindTcp ? rulesets.no_listener : rulesets.none;
  if (!ruleset.valid()) return step_error("giving up TCP", ENOSYS);
  return take_ruleset(ruleset);
}

// Returns what the order may yet ask for.
Result<TcpRulesets> give_up_everything(const ChildContext& context) {
  TRY(context.users.valid() ? join_user_namespace(context.users)
                            : enter_own_user_namespace(context.view.get()));
  TRY(enter_root(context.view.get()));
  TRY(leave_keyring());
  if (setsid() < 0) return step_error("making a session", errno);
  TRY(set_descriptors(context));
  umask(022);
  TRY(drop_privileges());
  // The terminal is opened as the user that it belongs to, and before the filters, which would have
  // to answer for what is sent here.
  if (context.terminal != 0) TRY(take_terminal(kControl, context.terminal));
  reset_signals();
  ASSIGN_OR_RETURN(TcpRulesets out, make_tcp_rulesets());
  TRY(install_filters(context.filters));
  return out;
}

Result<CommandSpec> read_spec(const ControlMessage& go) {
  constexpr size_t kMostBytes = size_t{1} << 30;
  std::string bytes = go.text;
  if (go.fd.valid()) {
    ASSIGN_OR_RETURN(bytes, os::read_all(go.fd.get(), kMostBytes));
  }
  auto spec = unpack(bytes);
  if (!spec) return step_error("reading the order", EBADMSG);
  return std::move(*spec);
}

struct Order {
  CommandSpec spec;
  os::Fd input;  // invalid: the standard input stays /dev/null
};

// Takes on the Landlock ruleset as soon as it arrives, which may be long before the order does.
Result<Order> wait_for_order(bool has_ruleset) {
  Order out;
  bool walled = has_ruleset;
  if (has_ruleset) TRY(take_ruleset(os::Fd(kOwnRuleset)));
  for (;;) {
    auto message = receive_control(kControl);
    if (!message) _exit(1);  // the launcher has no use for this sandbox
    if (message->type == Type::kInput) out.input = std::move(message->fd);
    if (message->type == Type::kRuleset) {
      TRY(take_ruleset(message->fd));
      walled = message->fd.valid();
    }
    if (message->type != Type::kGo) continue;
    if ((message->number != 0) != walled)
      return step_error("receiving the Landlock ruleset", EBADMSG);
    ASSIGN_OR_RETURN(out.spec, read_spec(*message));
    return out;
  }
}

// Opens the file with the command's own rights, so that a link leads nowhere that the command could
// not go. Only a regular file is taken: opening a pipe or a device could block or never end.
Status open_stdin(const std::string& path) {
  const os::Fd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!file.valid() || fstat(file.get(), &info) != 0)
    return step_error("opening the file that is the standard input", errno);
  if (!S_ISREG(info.st_mode))
    return step_error("opening the standard input, which is no file", EINVAL);
  // O_NONBLOCK is a property of the open file, so the command would inherit it.
  if (fcntl(file.get(), F_SETFL, O_RDONLY) != 0 || dup3(file.get(), STDIN_FILENO, 0) < 0)
    return step_error("setting the standard input", errno);
  return {};
}

// The limits come last, because two of them bound open files and memory, which the steps before
// need.
Status take_limits(const Order& order, const TcpRulesets& rulesets, uint32_t pass) {
  TRY(make_scratch(order.spec));
  if (chdir(order.spec.workdir.c_str()) != 0) return step_error("entering workdir", errno);
  TRY(give_up_tcp(order.spec.no_tcp, rulesets));
  if (order.input.valid() && dup3(order.input.get(), STDIN_FILENO, 0) < 0)
    return step_error("setting the standard input", errno);
  TRY(stay_on(order.spec.processors));
  if (!order.spec.stdin_file.empty()) TRY(open_stdin(order.spec.stdin_file));
  return set_rlimits(order.spec.rlimits, pass);
}

// Executes `file`. If it is one of the tools, `pass` lets the call through the filter unasked: the
// launcher would look up the same name with no better means. See notify/exec_gate.h.
int execute_file(const CommandSpec& spec, uint32_t pass, const char* file, char* const* arguments,
                 char* const* variables) {
  struct stat info {};
  const bool tool = stat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                    std::ranges::count(spec.tools, FileId{info.st_dev, info.st_ino}) > 0;
  return static_cast<int>(syscall(SYS_execve, file, arguments, variables, tool ? pass : 0));
}

// The control socket has one number before set_descriptors() and another one after it; both are
// tried.
[[noreturn]] void give_up(ChildContext& context, Type type, int number, std::string_view why) {
  context.command = ChildContext::Command::kHasToldWhyNot;
  if (!send_control(kControl, type, number, 0, why))
    send_control(context.control, type, number, 0, why);
  _exit(1);
}

// An ordinary user's launcher answers what this process is asked only if it may read its memory.
// Others are inside when a further command starts, so that is not before it has nothing that they
// have not: no privilege is left, and the filters, Landlock's rules and the limits hold. (Those
// rules keep the others from reading here in their turn.)
void let_launcher_read(const ChildContext& context) {
  if (context.users.valid() && !context.privileged) prctl(PR_SET_DUMPABLE, 1);
}

}  // namespace

[[noreturn]] void run_command(ChildContext& context) {
  const auto rulesets = give_up_everything(context);
  if (!rulesets.ok()) {
    const int why = rulesets.error().reason == kNoTerminalLeft ? ENOSPC : 0;
    give_up(context, Type::kFailed, why, rulesets.error().message);
  }
  const auto order = wait_for_order(context.ruleset.valid());
  if (!order.ok()) give_up(context, Type::kFailed, 0, order.error().message);
  const Execution execution(order->spec.command, order->spec.env);
  const ExecuteFile execute = [&](const char* file, char* const* arguments,
                                  char* const* variables) {
    return execute_file(order->spec, context.filters.choices.pass, file, arguments, variables);
  };
  if (const Status limited = take_limits(*order, *rulesets, context.filters.choices.pass);
      !limited.ok())
    give_up(context, Type::kFailed, 0, limited.error().message);
  let_launcher_read(context);
  context.command = ChildContext::Command::kExecutes;
  give_up(context, Type::kNoExec, execution.execute(execute), {});
}

}  // namespace paddock::sandbox

#include "node-agent/sandbox/linux/notify/notifications.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/denial_rule.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/notify/exec_gate.h"
#include "node-agent/sandbox/linux/notify/filter_gate.h"
#include "node-agent/sandbox/linux/notify/limit_signals.h"
#include "node-agent/sandbox/linux/notify/lock_gate.h"
#include "node-agent/sandbox/linux/notify/poll_gate.h"
#include "node-agent/sandbox/linux/seccomp/syscall_names.h"

namespace paddock::sandbox {
namespace {

// Not in the headers of older systems: an answer wakes the asker on this processor, which is
// fastest because the answering thread then waits.
constexpr unsigned long kSyncWakeUp = 1;
constexpr unsigned long kSetFlags = SECCOMP_IOW(4, __u64);

// A later kernel may write more than the structures known here.
std::vector<uint64_t> space_for(size_t ours, size_t kernels) {
  return std::vector<uint64_t>(std::max(ours, kernels) / sizeof(uint64_t) + 1);
}

constexpr Millis kShortestRetry{1};  // as long as locks change hands
constexpr Millis kLongestRetry{16};
constexpr size_t kMostRetries = 32;  // in one go

// What people who meet the refusal can do without the call.
std::string_view way_without(std::string_view call) {
  if (call == "ptrace") return "; sanitizers, valgrind and the debuggers of interpreters need none";
  if (call == "perf_event_open")
    return "; gprof, valgrind and the profilers of languages need none";
  if (call == "clone" || call == "unshare") return "; browsers start with --no-sandbox";
  return "";
}

contracts::Denial call_denial(std::string_view what, const std::string& name, std::string_view why,
                              std::string executable) {
  return {std::string(what), name, std::move(executable),
          contracts::rule_text(contracts::DenialRule::kSystemCalls, why),
          cat("nothing: no sandboxed program may call it", way_without(name))};
}

// As the kernel answers where it has no memory for what the call waits with.
int error_of_no_wait(const seccomp_data& call) {
  return is_poll(syscall_name(call.nr, call.arch)) ? ENOMEM : ENOLCK;
}

// Whether this is the successful exit of the command itself. How its children exit does not matter.
bool ends_well(const NotifyingThread& caller, const seccomp_data& call) {
  if ((call.args[0] & 0xFF) != 0) return false;
  const auto process = caller.process();
  return process && process->inside == kCommandInside;
}

}  // namespace

Notifications::Notifications(const LaunchChoices& choices, NetworkReach reach, ToolView tools,
                             const Clock& clock)
    : choices_(choices), reach_(std::move(reach)), tools_(std::move(tools)), clock_(clock) {
  seccomp_notif_sizes sizes{};
  (void)syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes);
  question_ = space_for(sizeof(seccomp_notif), sizes.seccomp_notif);
  reply_size_ = sizes.seccomp_notif_resp;
}

Notifications::~Notifications() = default;

void Notifications::listen_on(os::Fd listener) {
  listener_ = std::move(listener);
  (void)ioctl(listener_.get(), kSetFlags, kSyncWakeUp);  // older kernels are slower
}

int Notifications::fd(MonoTime now) const {
  return budget_.rests_until(now) ? -1 : listener_.get();
}

std::optional<MonoTime> Notifications::rests_until(MonoTime now) const {
  return listener_.valid() ? budget_.rests_until(now) : std::nullopt;
}

bool Notifications::still_waiting(uint64_t id) const {
  return ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

std::optional<Notifications::Question> Notifications::take() {
  std::ranges::fill(question_, 0);
  auto* question = reinterpret_cast<seccomp_notif*>(question_.data());
  // A listener that was readable has a question, so this does not block.
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, question) != 0) return std::nullopt;
  return Question{question->id, static_cast<pid_t>(question->pid), question->data};
}

bool Notifications::may_take_long(const Question& question) {
  if (question.call.arch != static_cast<uint32_t>(this_machine())) return false;
  switch (question.call.nr) {
    case SYS_connect:
    case SYS_bind:
    case SYS_listen:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_execve:
    case SYS_execveat:
    case SYS_flock:
    case SYS_fcntl:
    case SYS_seccomp:
    case SYS_prctl:
    case SYS_timer_create:
    case SYS_setrlimit:
    case SYS_prlimit64:
    case SYS_ppoll:
    case SYS_pselect6:
#ifdef SYS_poll  // not on aarch64
    case SYS_poll:
    case SYS_select:
#endif
      return true;
    default:
      return false;
  }
}

void Notifications::answer(const Question& question, MonoTime now) {
  const NotifyingThread caller(question.thread, clock_);
  GateAnswer verdict = judge(caller, question.call, question.id);
  budget_.spend(now,
                1 + static_cast<int>(verdict.denials.size()) + caller.reads() / 4 + verdict.looks);
  // If the asker still waits, its pid was not reused: what was read belongs to the asker.
  if (!still_waiting(question.id)) return;
  if (verdict.waits) return wait(question, now);
  const int error = verdict.error;
  const bool held = verdict.held;
  const bool done = verdict.done;
  record(std::move(verdict), question.id);
  if (!held) reply(question.id, error, done);
}

void Notifications::wait(const Question& question, MonoTime now) {
  waiting_.push_back(question);
  if (retry_at_) return;
  retry_pause_ = kShortestRetry;
  retry_at_ = now + retry_pause_;
}

std::optional<MonoTime> Notifications::retry_at() const {
  const auto rest = retry_at_ ? budget_.rests_until(*retry_at_) : std::nullopt;
  return rest ? rest : retry_at_;
}

// Goes on from the front of the queue. An asker that must wait on goes to its end.
void Notifications::retry(MonoTime now) {
  if (!retry_at_ || now < *retry_at_ || budget_.rests_until(now)) return;
  const size_t before = waiting_.size();
  for (size_t i = 0; i < std::min(before, kMostRetries); ++i) {
    const Question question = waiting_.front();
    waiting_.pop_front();
    answer(question, now);
  }
  retry_pause_ =
      waiting_.size() < before ? kShortestRetry : std::min(2 * retry_pause_, kLongestRetry);
  retry_at_ = waiting_.empty() ? std::nullopt : std::optional(now + retry_pause_);
}

void Notifications::refuse_waiting() {
  for (const Question& question : waiting_) reply(question.id, error_of_no_wait(question.call));
  waiting_.clear();
  retry_at_.reset();
}

void Notifications::record(GateAnswer verdict, uint64_t id) {
  const std::lock_guard hold(lock_);
  for (contracts::Denial& denial : verdict.denials) denials_.add(std::move(denial));
  if (!verdict.broker_user.empty() && broker_users_.size() < 2)
    broker_users_.insert(std::move(verdict.broker_user));
  limit_signals_sent_.insert(verdict.limit_signals.begin(), verdict.limit_signals.end());
  if (verdict.held) held_ = id;
}

void Notifications::reply(uint64_t id, int error, bool done) const {
  std::vector<uint64_t> space = space_for(sizeof(seccomp_notif_resp), reply_size_);
  auto* reply = reinterpret_cast<seccomp_notif_resp*>(space.data());
  reply->id = id;
  reply->error = -error;
  if (error == 0 && !done) reply->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  (void)ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, reply);  // fails if the asker has died
}

bool Notifications::holds_exit() const {
  const std::lock_guard hold(lock_);
  return held_.has_value();
}

void Notifications::let_exit() {
  std::optional<uint64_t> held;
  {
    const std::lock_guard hold(lock_);
    held = std::exchange(held_, std::nullopt);
  }
  if (held) reply(*held, 0);
}

std::vector<contracts::Denial> Notifications::take_denials() {
  const std::lock_guard hold(lock_);
  return denials_.take();
}

bool Notifications::reached_broker() const {
  const std::lock_guard hold(lock_);
  return !broker_users_.empty();
}

std::string Notifications::sole_broker_user() const {
  const std::lock_guard hold(lock_);
  return broker_users_.size() == 1 ? *broker_users_.begin() : std::string();
}

std::string Notifications::command_killed_for() const {
  const std::lock_guard hold(lock_);
  return command_killed_for_;
}

std::set<int> Notifications::limit_signals_sent() const {
  const std::lock_guard hold(lock_);
  return limit_signals_sent_;
}

GateAnswer Notifications::judge(const NotifyingThread& caller, const seccomp_data& call,
                                uint64_t id) {
  const std::string name = syscall_name(call.nr, call.arch);
  if (call.arch != static_cast<uint32_t>(this_machine()) || is_x32(call.nr))
    return forbid(caller, name, "calls of other machines", id);
  std::array<uint64_t, 6> arguments{};
  std::ranges::copy(call.args, arguments.begin());
  if (table_.empty()) table_ = command_rules(choices_);
  const SyscallRule* rule = find_rule(table_, name, arguments);
  if (rule == nullptr) return {ENOSYS, {}};
  switch (rule->action) {
    case SyscallAction::kForbidden:
      return forbid(caller, name, rule->why, id);
    case SyscallAction::kReport:
      return {EPERM, {call_denial("system call", name, rule->why, caller.executable())}};
    case SyscallAction::kJudge:
      if (call.nr == SYS_exit_group) return {.held = may_hold_ && ends_well(caller, call)};
      if (call.nr == SYS_timer_create) return {.limit_signals = sent_limit_signals(caller, call)};
      if (call.nr == SYS_setrlimit || call.nr == SYS_prlimit64)
        return {.limit_signals = sent_limit_signals(caller, call), .looks = 1};
      if (auto signals = sent_limit_signals(caller, call); !signals.empty())
        return {.limit_signals = std::move(signals)};
      if (call.nr == SYS_execve || call.nr == SYS_execveat || call.nr == SYS_memfd_create)
        return judge_exec(caller, call, tools_);
      if (call.nr == SYS_flock) return judge_lock(caller, call, [&] { return still_waiting(id); });
      if (call.nr == SYS_fcntl)
        return judge_range_lock(caller, call, [&] { return still_waiting(id); });
      if (call.nr == SYS_seccomp || call.nr == SYS_prctl) return judge_filter(caller, call, id);
      if (is_poll(name)) return judge_poll(caller, name, call);
      return judge_network_call(caller, call, reach_);
    case SyscallAction::kAllow:
    case SyscallAction::kPretend:
    case SyscallAction::kRefuse:
    case SyscallAction::kUnknown:
    case SyscallAction::kNoFamily:
    case SyscallAction::kNoProtocol:
    case SyscallAction::kNoMemory:
    case SyscallAction::kInvalid:
    case SyscallAction::kUnsupported:
      break;
  }
  return {ENOSYS, {}};  // the filter does not ask about these
}

GateAnswer Notifications::judge_filter(const NotifyingThread& caller, const seccomp_data& call,
                                       uint64_t id) {
  if (!filters_) filters_ = std::make_unique<FilterGate>(clock_);
  return filters_->judge(caller, call, [&] { return still_waiting(id); });
}

GateAnswer Notifications::judge_poll(const NotifyingThread& caller, const std::string& name,
                                     const seccomp_data& call) {
  if (!polls_) polls_ = std::make_unique<PollGate>(clock_);
  return polls_->judge(caller, name, call);
}

// Kills the process as the filter itself would have done: by SIGSYS, which its parent sees. Where
// the process might survive that, by SIGKILL. The call is not made, whatever the process does
// meanwhile.
GateAnswer Notifications::forbid(const NotifyingThread& caller, const std::string& name,
                                 std::string_view why, uint64_t id) {
  GateAnswer out{EPERM, {call_denial("forbidden system call", name, why, caller.executable())}};
  const auto process = caller.process();
  if (!process) return out;
  const os::Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, process->pid, 0)));
  // If the asker still waits, the pid was not reused, and the descriptor is its process.
  if (!pidfd.valid() || !still_waiting(id)) return out;
  if (process->inside == command_inside_) {
    const std::lock_guard hold(lock_);
    command_killed_for_ = name;
  }
  raw::pidfd_send_signal(pidfd.get(), process->sigsys_kills ? SIGSYS : SIGKILL);
  return out;
}

}  // namespace paddock::sandbox

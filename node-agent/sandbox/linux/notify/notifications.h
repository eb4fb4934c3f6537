// The launcher's side of the filter that asks (seccomp/syscall_table.h). A system call that the
// filter asks about stops its thread and becomes a question here; this class answers it and records
// what was refused. If this process dies, the call fails with ENOSYS. An answer may need the
// asker's memory, and reading that can block: answerer.h sees to that. For one thread at a time,
// except the calls that say what was found: any thread may make those.
#pragma once

#include <linux/seccomp.h>

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/notify/answer_rate_limiter.h"
#include "node-agent/sandbox/linux/notify/network_gate.h"
#include "node-agent/sandbox/linux/seccomp/syscall_table.h"
#include "node-agent/sandbox/plan/tool_view.h"
#include "node-agent/sandbox/result/denials.h"

namespace paddock::sandbox {

// A run's own command is the first process that the sandbox's init starts.
inline constexpr pid_t kCommandInside = 2;

class FilterGate;
class PollGate;

class Notifications {
 public:
  Notifications(const LaunchChoices& choices, NetworkReach reach, ToolView tools,
                const Clock& clock);
  ~Notifications();
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  void listen_on(os::Fd listener);
  // Names the process that command_killed_for() is about. Call it before anything is asked.
  void command_is(pid_t inside) { command_inside_ = inside; }
  bool listening() const { return listener_.valid(); }
  void stop() { listener_.reset(); }
  // As long as the listener is open, no thread that asked goes on without an answer.
  os::Fd take_listener() { return std::move(listener_); }
  // Readable when there is a question; -1 while no question is answered.
  int fd(MonoTime now) const;
  // When fd() changes by itself.
  std::optional<MonoTime> rests_until(MonoTime now) const;

  struct Question {
    uint64_t id = 0;
    pid_t thread = -1;
    seccomp_data call{};
  };
  // The next question; call it when fd() is readable. Nothing if its asker has died meanwhile.
  std::optional<Question> take();
  // Whether answering may block on a lock of the kernel that the asker's threads can hold, because
  // it reads their memory or waits for an exec, or have them wait. All others are answered at once.
  static bool may_take_long(const Question& question);
  void answer(const Question& question, MonoTime now);
  // Askers of flock whose lock somebody else holds, and of filters that cannot be counted yet, are
  // judged again and again: retry() does it when retry_at() has come. A descriptor may lead to
  // another file by then.
  std::optional<MonoTime> retry_at() const;
  void retry(MonoTime now);
  // Refuses these askers: nobody will try again for them.
  void refuse_waiting();

  // From now on the command's successful exit is held: its thread executes nothing any more until
  // let_exit() answers.
  void hold_exits() { may_hold_ = true; }
  bool holds_exit() const;
  void let_exit();

  // The denials that were found so far.
  std::vector<contracts::Denial> take_denials();
  bool reached_broker() const;
  // The one executable that reached the broker; empty if there were none or several.
  std::string sole_broker_user() const;
  // The forbidden call for which the command, not one of its children, was killed; else empty.
  std::string command_killed_for() const;
  // Signals of limits that processes inside sent themselves or each other.
  std::set<int> limit_signals_sent() const;

 private:
  GateAnswer judge(const NotifyingThread& caller, const seccomp_data& call, uint64_t id);
  GateAnswer judge_filter(const NotifyingThread& caller, const seccomp_data& call, uint64_t id);
  GateAnswer judge_poll(const NotifyingThread& caller, const std::string& name,
                        const seccomp_data& call);
  GateAnswer forbid(const NotifyingThread& caller, const std::string& name, std::string_view why,
                    uint64_t id);
  bool still_waiting(uint64_t id) const;
  void record(GateAnswer verdict, uint64_t id);
  void wait(const Question& question, MonoTime now);
  // Error 0: the call goes on; `done`: it has succeeded.
  void reply(uint64_t id, int error, bool done = false) const;

  // Copies, since the thread that answers may be held up until long after the run has been
  // forgotten.
  const LaunchChoices choices_;
  const NetworkReach reach_;
  const ToolView tools_;
  const Clock& clock_;
  std::vector<SyscallRule> table_;  // made for the first question: most runs ask none
  os::Fd listener_;
  AnswerRateLimiter budget_;
  std::unique_ptr<FilterGate> filters_;  // made for the first of its questions
  std::unique_ptr<PollGate> polls_;      // the same
  pid_t command_inside_ = kCommandInside;
  bool may_hold_ = false;
  std::deque<Question>
      waiting_;  // one for each thread inside at most, as each asks one question at a time
  std::optional<MonoTime> retry_at_;
  Millis retry_pause_{0};
  std::vector<uint64_t> question_;  // as large as this kernel's
  size_t reply_size_ = 0;

  mutable std::mutex lock_;  // guards all below; never held while something is read or answered
  DenialList denials_;
  std::set<std::string> broker_users_;  // at most two: a second one is all that matters
  std::string command_killed_for_;
  std::set<int> limit_signals_sent_;
  std::optional<uint64_t> held_;
};

}  // namespace paddock::sandbox

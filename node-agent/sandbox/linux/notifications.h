// The supervisor's side of the launch filter (syscall_table.h): takes each question that a
// command's system call raises, answers it and records what was refused. The answers hold even if
// this process dies: an unanswered call gives ENOSYS. Nothing here waits for the command. One
// thread.
#pragma once

#include <linux/seccomp.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/answer_budget.h"
#include "node-agent/sandbox/denials.h"
#include "node-agent/sandbox/linux/network_gate.h"
#include "node-agent/sandbox/syscall_table.h"
#include "node-agent/sandbox/tool_view.h"

namespace paddock::sandbox {

// The command itself is the first process that the sandbox's init starts.
inline constexpr pid_t kCommandInside = 2;

class Notifications {
 public:
  Notifications(const LaunchChoices& choices, const NetworkReach& reach, const ToolView& tools);

  void listen_on(os::Fd listener);
  bool listening() const { return listener_.valid(); }
  void stop() { listener_.reset(); }
  // For as long as it is open, nobody who asked goes on without an answer.
  os::Fd take_listener() { return std::move(listener_); }
  // To poll for POLLIN; -1 while there is nothing to poll for.
  int fd(MonoTime now) const;
  // When fd() changes by itself.
  std::optional<MonoTime> rests_until(MonoTime now) const;
  // Answers one question. Call when fd() is readable.
  void answer(MonoTime now);
  // That of the command when it is about to end, and well, is kept: until it is answered, that
  // thread executes nothing any more.
  void hold_exits() { may_hold_ = true; }
  bool holds_exit() const { return held_.has_value(); }
  void let_exit();

  void add_denial(contracts::Denial denial) { denials_.add(std::move(denial)); }
  std::vector<contracts::Denial> take_denials() { return denials_.take(); }
  // The one executable that reached the broker; empty if there were none or several.
  std::string sole_broker_user() const {
    return broker_users_.size() == 1 ? *broker_users_.begin() : std::string();
  }
  // The forbidden call for which the command, not one of its children, was killed; else empty.
  const std::string& command_killed_for() const { return command_killed_for_; }

 private:
  GateAnswer judge(const Caller& caller, const seccomp_data& call, uint64_t id);
  GateAnswer forbid(const Caller& caller, const std::string& name, std::string_view why,
                    uint64_t id);
  bool still_waiting(uint64_t id) const;
  void reply(uint64_t id, int error);

  const LaunchChoices choices_;
  std::vector<SyscallRule> table_;  // made for the first question: most runs ask none
  const NetworkReach& reach_;
  const ToolView& tools_;
  os::Fd listener_;
  AnswerBudget budget_;
  DenialList denials_;
  std::set<std::string> broker_users_;  // the first two
  std::string command_killed_for_;
  bool may_hold_ = false;
  std::optional<uint64_t> held_;
  std::vector<uint64_t> question_;  // as large as this kernel's
  std::vector<uint64_t> reply_;
};

}  // namespace paddock::sandbox

// Watches one confined process group until nothing of it is alive: output, limits, cancel. One
// thread, one poll loop.
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"
#include "node-agent/sandbox/macos/group.h"
#include "node-agent/sandbox/macos/signal_pipe.h"
#include "node-agent/sandbox/result/event_writer.h"
#include "node-agent/sandbox/result/outcome.h"
#include "node-agent/sandbox/result/outputs.h"

namespace paddock::sandbox {

// The use of the live processes of a group, without zombies, and with what the children have used
// that they waited for.
struct GroupUse {
  int64_t processes = 0;
  int64_t memory_bytes = 0;
  Millis cpu{0};
};
using ReadGroup = GroupUse (*)(pid_t group);

class GroupSupervisor {
 public:
  GroupSupervisor(ConfinedGroup group, const SeatbeltPlan& plan, EventWriter& events,
                  const Clock& clock, ReadGroup read_group, SignalPipe& signals,
                  int64_t inline_bytes);

  // Returns once the first process is reaped and nothing of its group is alive.
  Outcome run();
  void describe(contracts::SandboxResult& result) const;
  bool pids_passed() const { return pids_passed_; }

 private:
  bool goes_on();
  void wait_for_something();
  void hear_signals();
  int wait_ms() const;
  void read_witness();
  void hear_witness();
  void note_line(std::string_view line);
  void handle_time();
  void check_group();
  void flush(bool all);
  void end(EndCause cause);
  void kill_group();
  void kill_the_rest();
  Outcome outcome() const;

  ConfinedGroup group_;
  const SeatbeltPlan& plan_;
  EventWriter& events_;
  const Clock& clock_;
  ReadGroup read_group_;
  SignalPipe& signals_;
  Outputs outputs_;
  std::string witness_text_;
  MonoTime now_;
  MonoTime setup_deadline_;
  MonoTime next_check_;
  std::optional<MonoTime> kill_at_;
  std::optional<MonoTime> started_;
  std::optional<MonoTime> ended_;
  std::optional<std::string> setup_error_;
  std::optional<int> exec_error_;
  Readings readings_;
  Reaped reaped_;
  EndCause cause_ = EndCause::kNone;
  bool confined_ = false;
  bool told_ = false;  // by SIGTERM
  bool killed_ = false;
  bool pids_passed_ = false;
  bool events_lost_ = false;
};

}  // namespace paddock::sandbox

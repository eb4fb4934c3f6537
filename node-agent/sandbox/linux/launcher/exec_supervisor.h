// Watches one command that is executed in a run beside the run's own: reads its output, answers its
// questions and notes how it ends. Its time is kept by a thread of its own (ExecTimeKeeper), and
// the run's limits by the run's own supervisor and time keeper, which know nothing of it. For one
// thread.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/launcher/exec_time_keeper.h"
#include "node-agent/sandbox/linux/launcher/output_relay.h"
#include "node-agent/sandbox/linux/launcher/poll_set.h"
#include "node-agent/sandbox/linux/notify/answerer.h"
#include "node-agent/sandbox/plan/plan.h"
#include "node-agent/sandbox/result/event_writer.h"
#include "node-agent/sandbox/result/outcome.h"

namespace paddock::sandbox {

// The launcher's ends of one command's channels.
struct ExecChannels {
  os::Fd control;  // the talk with its keeper
  os::Fd out;
  os::Fd err;
};

struct ExecWatched {
  const SandboxPlan& plan;  // of the run
  const LaunchChoices& choices;
  EventWriter& events;
  const Clock& clock;
  int client = -1;           // it ends when this hangs up
  int run_over = -1;         // readable once the run has ended
  Millis time{0};            // the most that it may take
  int64_t output_bytes = 0;  // of each stream, unless somebody is shown all while it runs
  bool shown = false;        // somebody is: nothing is kept
  bool terminal = false;     // it has one: its other end is handed to the client
};

// The result of a command that the run's end has cut short, or come before.
void tell_of_the_runs_end(contracts::SandboxResult& result);

class ExecSupervisor {
 public:
  ExecSupervisor(ExecChannels channels, const ExecWatched& watched);
  // Call it first. An error: the host has no thread that would keep its time.
  Status start() { return keeper_.start(); }
  // Returns when nothing of the command is left (so the next one has the room of its processes),
  // when the run has ended, or when killed processes do not go away. Fills in the result, except
  // the fields that come from the order.
  void run(const std::string& command, contracts::SandboxResult& result);
  // Whether something of it went through the run's network broker.
  bool reached_broker() const { return reached_broker_; }
  const std::set<int>& limit_signals_sent() const { return limit_signals_; }

 private:
  void wait_for_something();
  bool ended_without_a_word() const;
  void look_for_the_runs_end();
  void hear_keeper();
  void handle(ControlMessage& message);
  void take_terminal(os::Fd terminal);
  void flush(bool all);
  int wait_ms() const;
  Outcome outcome();
  void describe(const std::string& command, contracts::SandboxResult& result);

  ExecWatched watched_;
  OutputRelay relay_;
  std::optional<Answerer> answerer_;  // once the command's filter is there
  ExecTimeKeeper keeper_;
  ExecLife::State state_;  // as of this turn
  MonoTime now_;
  bool no_room_ = false;      // for another process
  bool no_terminal_ = false;  // left
  std::optional<Error> setup_error_;
  std::optional<int> exec_error_;
  bool reached_broker_ = false;
  std::set<int> limit_signals_;
};

}  // namespace paddock::sandbox

// When a command that is executed in a run is told to end, killed, and no longer waited for: at its
// limit, when its client hangs up, or with the run. Time in which whoever looks stood still (it was
// stopped, its cgroup frozen, or its host suspended) does not count. Pure; not thread-safe.
#pragma once

#include <optional>

#include "common/base/suspension.h"
#include "common/base/time.h"
#include "node-agent/sandbox/result/outcome.h"

namespace paddock::sandbox {

struct ExecTimes {
  Millis time{0};  // the most that it may take
  Millis cancel_grace{0};
  Millis limit_grace{0};
};

class ExecLife {
 public:
  // What its keeper has to be told. A kill is told once, and never taken back.
  enum class Step { kNone, kTerminate, kKill };
  struct State {
    EndCause cause = EndCause::kNone;
    std::optional<MonoTime> started;
    std::optional<int> wait_status;
    Millis cpu{0};
    bool run_over = false;
    bool cut_short = false;         // by the run's end
    bool stood_still = false;       // the run did, so nothing was begun
    std::optional<MonoTime> ended;  // nothing of it executes any more
    std::optional<MonoTime> over;   // nothing of it is left, or what is left is not waited for
    bool operator==(const State&) const = default;
  };

  ExecLife(const ExecTimes& times, MonoTime now);
  const State& state() const { return state_; }

  // Call it before everything else that happens now, and as soon as next() has passed.
  void set_now(MonoTime now);
  Millis next() const;
  // What time calls for. Call it when all that has happened was noted.
  Step look();

  void note_started();
  void note_failed() { failed_ = true; }  // setting up, or executing
  void note_ended(int status, Millis cpu);
  // Its processes were killed, all of them: the dead may still have to be reaped.
  void note_all_killed();
  // Nothing is left of it.
  void note_gone();
  Step note_run_over();
  Step note_client_gone();
  // Nobody could learn of it any more.
  Step cancel();

 private:
  Step end(EndCause cause, Millis grace);
  Step kill();
  void wait_no_longer_than(Millis patience);

  ExecTimes times_;
  LivedTime lived_;
  MonoTime now_;
  Millis lived_now_{0};  // all that follow are in lived time
  Millis setup_end_;
  std::optional<Millis> time_end_;
  std::optional<Millis> kill_at_;
  std::optional<Millis> gives_up_;  // what was killed is waited for no longer
  bool killed_ = false;
  bool failed_ = false;
  State state_;
};

}  // namespace paddock::sandbox

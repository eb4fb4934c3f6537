// Two lanes around the core: one call is held open by the controller until something changes, the
// other reports news at once. What the answers ask for is done beside both, and output is read
// beside both: a disk that stalls for longer than a node may be silent must not silence it, nor
// keep what somebody wants to end going on. run() blocks; it starts one thread each for the held
// lane, the actions, the cancels among them and the reading. observe(), set_status() and stop() may
// be called from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>

#include "common/base/guarded.h"
#include "node-agent/sync/sync_core.h"

namespace paddock::sync {

// One connection to the controller.
class SyncPort {
 public:
  virtual ~SyncPort() = default;
  virtual Result<contracts::SyncAnswer> synchronize(const contracts::SyncRequest& request) = 0;
  virtual void abort() = 0;  // ends the call in progress and all later ones
};

struct Ended {
  Verdict verdict = Verdict::kRetry;  // kRetry: stop() was called
  Error error;
};

class SyncLoop {
 public:
  // `act` is called in the order of the answers; from two threads at once only for a cancel, which
  // shall not wait for a disk, beside what is no start of its run. It may call observe().
  SyncLoop(SyncCore core, OutputReader& output, const Clock& clock, Random& random,
           std::function<void(const Action&)> act);

  // Talks until stop() or until a call says that talking on is no use. May be called again after
  // kEnroll, with new ports.
  Ended run(SyncPort& report, SyncPort& hold);
  void stop();
  // Tells the controller that this process ends, once and without waiting for long: after run(), or
  // while something keeps run() from ending.
  Status take_leave(SyncPort& port, const std::optional<std::set<RunKey>>& begun);

  void observe(const contracts::RunReport& report, int64_t last_seq);
  void set_status(contracts::NodeStatus status);
  void set_usage(contracts::UsageReport usage);  // for the next call that there is anyway

 private:
  struct State {
    SyncCore core;
    std::deque<Action> actions;               // in the order of their answers; outlive a run()
    std::optional<RunKey> acting_on{};        // by what is no cancel
    bool stopping = false;                    // asked from outside
    MonoTime gathered{};                      // no report before that, unless it is urgent
    std::optional<MonoTime> reading_since{};  // output, for the next report
    std::optional<std::vector<OutputRead>> output{};  // that was read for it
    std::optional<Ended> ended;                       // of this run()
    bool over() const { return stopping || ended.has_value(); }
  };
  static bool report_due(const State& state, MonoTime now);
  static bool ready(const State& state, Lane lane, MonoTime now);
  static MonoTime next_look(const State& state, Lane lane, MonoTime now);
  bool wait_for(Lane lane, const std::function<bool(const State&, MonoTime)>& ready,
                const std::function<void(State&)>& use);
  void lane(Lane lane, SyncPort& port);
  std::optional<Call> next_call(Lane lane);
  Call begin(State& state, Lane lane);
  void settle(const Call& call, const Result<contracts::SyncAnswer>& answer);
  enum class Acts { kCancels, kOthers };
  static std::optional<Action> take_action(State& state, Acts which);
  void perform(Acts which);
  void end(Ended how);
  void read();

  OutputReader& output_;
  const Clock& clock_;
  Random& random_;
  std::function<void(const Action&)> act_;
  Guarded<State> state_;
  std::condition_variable changed_;
  Guarded<std::vector<SyncPort*>> ports_;
};

}  // namespace paddock::sync

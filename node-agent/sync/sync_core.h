// The agent's half of the Synchronize conversation, pure: observations, answers and a time in;
// requests, actions and retry decisions out. No thread, no clock, no file.
//
// Two calls may be in flight at once (a held one and a report). An answer changes what is held only
// if its call began after the last answer that did: absence in an older answer proves nothing.
// Acknowledgements are taken from every answer. Not thread-safe; the loop guards it.
#pragma once

#include <compare>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "common/base/backoff.h"
#include "common/base/random.h"
#include "common/base/time.h"
#include "common/contracts/sync.h"

namespace paddock::sync {

struct RunKey {
  std::string uid;
  int64_t attempt = 0;
  friend auto operator<=>(const RunKey&, const RunKey&) = default;
};

// The actions that the host has to take next. Each is safe to repeat.
struct StartRun {
  contracts::Assignment assignment;  // desired may already be kCancel: then it must never start
};
struct CancelRun {
  RunKey key;
  bool kill_now = false;  // without what is left of its grace
};
struct ForgetRun {  // end it if it still runs, then delete all of it
  RunKey key;
};
struct GiveInput {  // for its standard input; each seq once
  RunKey key;
  std::vector<contracts::RunInput> inputs;
};
struct KeepSessions {  // sandbox sessions: all others of this node end
  std::vector<std::string> uids;
};
using Action = std::variant<StartRun, CancelRun, ForgetRun, GiveInput, KeepSessions>;

// Where a run's output can be read again until it is acknowledged.
class OutputReader {
 public:
  virtual ~OutputReader() = default;
  // Chunks from seq `after` + 1 without a gap, about `max_bytes` of raw data but at least one chunk
  // if there is any.
  virtual std::vector<contracts::OutputChunk> read(const RunKey& key, int64_t after,
                                                   size_t max_bytes) = 0;
};

// Whose output the controller has not got, in the order of their turns, and how much may go at
// once.
struct OutputWanted {
  struct Place {
    RunKey key;
    int64_t after = 0;
  };
  std::vector<Place> places;
  size_t max_bytes = 0;
};
struct OutputRead {
  RunKey key;
  std::vector<contracts::OutputChunk> chunks;
};
// Waits for the disk.
std::vector<OutputRead> read_output(const OutputWanted& wanted, OutputReader& output);

enum class Lane { kReport, kHold };

struct CallLimits {
  size_t output_bytes = 512 << 10;  // raw, over all runs of a call
  size_t outcome_bytes = 4 << 20;   // as JSON, over all outcomes of a call; at least one is sent
  // One that is longer is cut (outcome_bound.h): with output and the reports of others it has to
  // fit into the 8 MiB that a controller takes.
  size_t one_outcome_bytes = 6 << 20;
  Millis hold{20'000};  // never longer than two thirds of the lease
  Servers servers = Servers::kOne;
};

// One request on its way, and what the core needs to judge its answer.
struct Call {
  Lane lane = Lane::kReport;
  contracts::SyncRequest request;
  uint64_t based_on = 0;  // answers applied when it began
  MonoTime began;
};

enum class Verdict { kRetry, kEnroll, kStop };
struct FailureDecision {
  Verdict verdict = Verdict::kRetry;
  Error error;  // of the call, for the log
};

class SyncCore {
 public:
  SyncCore(std::string process, int64_t generation, std::map<std::string, std::string> labels,
           CallLimits limits = {});

  // --- local events; repeating or reordering them changes nothing ---
  void set_status(contracts::NodeStatus status);
  // Goes along with the next call, once: it is no reason for one.
  void set_usage(contracts::UsageReport usage) { usage_ = std::move(usage); }
  // A snapshot of a run (its `output` is ignored) and the highest output seq there is. An unknown
  // run is one found on disk at start; a forgotten one is ignored.
  void observe(const contracts::RunReport& report, int64_t last_seq);

  // --- calls ---
  bool established() const { return applied_ > 0; }
  // Whether the controller has not been told, or has not acknowledged, something.
  bool has_news() const;
  // The same without output and what has to come after it.
  bool has_news_but_output() const;
  // Whether somebody waits for some of it: a run has ended.
  bool has_urgent_news() const;
  // The earliest time for the next call of a lane (back-off after failures and stalls).
  MonoTime not_before(Lane lane) const;
  // The output that the controller lacks now. None before the first answer to this process, since
  // only that says what was acknowledged.
  bool wants_output() const;
  OutputWanted wanted_output() const;
  // With what was read for a report since the last one began.
  Call begin(Lane lane, MonoTime now, std::vector<OutputRead> output = {});
  std::vector<Action> answered(const Call& call, const contracts::SyncAnswer& answer, MonoTime now,
                               Random& random);
  // The last call of all: this process ends, and `begun` are the runs that it has begun; where that
  // is not known, it may be any.
  Call farewell(MonoTime now, const std::optional<std::set<RunKey>>& begun);
  FailureDecision failed(const Call& call, const Error& error, MonoTime now, Random& random);

  std::vector<RunKey> held() const;

 private:
  struct LocalRun {
    contracts::RunReport seen;  // without output
    int64_t last_seq = 0;
    int64_t acked = 0;
    contracts::RunReport told;  // as last reported in a call that was answered
    bool assigned = false;      // named by an answer to this process
    bool cancel_passed_on = false;
    bool kill_passed_on = false;
  };
  bool has_news(const LocalRun& run) const;
  static bool wants_output(const LocalRun& run) { return run.assigned && run.last_seq > run.acked; }
  void add_output(contracts::SyncRequest& request, std::vector<OutputRead> output);
  void add_outcomes(contracts::SyncRequest& request) const;
  void send_less(const contracts::SyncRequest& refused);
  bool take_acknowledgements(const Call& call, const contracts::SyncAnswer& answer);
  std::vector<Action> reconcile(const contracts::SyncAnswer& answer);
  void accept(const contracts::Assignment& wanted, std::vector<Action>& actions);
  void forget(const RunKey& key, std::vector<Action>& actions);

  std::string process_;
  int64_t generation_;
  std::map<std::string, std::string> labels_;
  CallLimits limits_;
  std::optional<contracts::NodeStatus> status_;  // not yet told
  uint64_t status_version_ = 0;
  uint64_t status_told_ = 0;
  std::optional<contracts::UsageReport> usage_;  // not yet told
  std::map<RunKey, LocalRun> runs_;
  std::set<RunKey> forgotten_;  // never started again by this process
  std::deque<RunKey> forgotten_order_;
  std::string known_version_;
  uint64_t applied_ = 0;  // answers that changed what is held
  int64_t lease_ms_ = 15'000;
  std::string served_last_;  // whose output was sent last, for fairness
  std::map<Lane, int> failures_;
  std::map<Lane, MonoTime> not_before_;
};

// The generation of a new agent process: the time, and larger than the last one even if the clock
// went back; the controller refuses a smaller one.
int64_t next_generation(int64_t last, WallTime now);

}  // namespace paddock::sync

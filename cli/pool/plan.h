// Decides which pilots to submit and which to cancel, and why a run gets none. Pure.
// Every waiting run takes a place in a pilot that is on its way; only a run that finds no place
// asks for another pilot. A gang is one run of several places, each in another pilot of one job:
// all of them are on their way at once, or none. Pilots that run have shown what they can do, so a
// run that still waits then waits for more.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/pool/waiting_runs.h"

namespace paddock::cli {

// What sbatch said to a job of this size.
struct Refusal {
  PilotSize size;
  std::string why;
};

struct PoolState {
  std::vector<WaitingRun> waiting;  // that some pilot could take, in the order of the queue
  std::vector<Pilot> pilots;        // as Slurm lists them now
  std::set<std::string> joined;     // pilots whose nodes are, or were, at the controller
  std::set<std::string> settled;    // of them, those that had kSettling to be given what waits
  std::set<std::string> left;       // of those, the ones that have left: their nodes are gone
  // Submissions of which nobody knows whether Slurm took them: they count as queued.
  std::map<std::string, PilotSize> in_doubt;  // by key
  std::vector<Refusal> refused;               // sizes that are not asked for again yet
  WallTime now;
  std::optional<MonoTime> last_submission;
  MonoTime mono;
};

struct PoolPlan {
  std::optional<PilotSize> submit;            // one at a time: submitEvery is between two
  std::vector<Pilot> cancel;                  // queued ones that nobody waits for, and stuck ones
  std::map<std::string, std::string> held;    // by uid: which limit of the pool it waits for
  std::map<std::string, std::string> coming;  // by uid: which pilot is on its way to it
};

// What a run hears for which a pilot is being submitted.
inline constexpr const char* kBeingSubmitted = "a pilot is being submitted";
// A node that has joined is looked at, proves its sandbox and is given runs: what waits while it
// does waits for that.
inline constexpr Millis kSettling = std::chrono::seconds(10);
// A job with a pilot that has not joined so long after it began is not coming as a whole.
inline constexpr Millis kLongestJoining = std::chrono::minutes(10);

PoolPlan plan_pool(const PoolState& state, const PoolSettings& settings);

}  // namespace paddock::cli

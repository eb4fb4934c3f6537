// The life of a run as data, and the only code that writes a phase.
//
// Each function below applies one fact to a run and returns the events to append to its stream; the
// caller stores both in one transaction (store::save_run). A terminal run never changes. Pure: no
// store, no clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/contracts/events.h"
#include "common/contracts/sync.h"

namespace paddock::runs {

// A fact about a run.
enum class Fact {
  kBound,            // the scheduler chose a node
  kPreparing,        // the node prepares workspace and environment
  kStarted,          // the command runs
  kSucceeded,        // the node's outcome
  kFailed,           // the node's outcome
  kCanceled,         // the node's outcome
  kCancelRequested,  // a caller wants it to end
  kNodeLost,         // no word from its node for too long: nobody will ever report
  kRetried,          // the attempt is over without a fault of its command: the run waits again
  kEvicted,          // we want its node to end it
  kExpired,          // its deadline passed while it waited
  kElementPlaced,    // of an array: the first of its elements has a node
};

struct Transition {
  contracts::RunPhase from;
  Fact fact;
  contracts::RunPhase to;
};
// Every allowed transition. A pair that is not here is refused.
std::span<const Transition> transitions();
std::optional<contracts::RunPhase> next_phase(contracts::RunPhase from, Fact fact);
std::string_view fact_name(Fact fact);
inline constexpr std::array kAllFacts = {
    Fact::kBound,   Fact::kPreparing, Fact::kStarted,         Fact::kSucceeded,
    Fact::kFailed,  Fact::kCanceled,  Fact::kCancelRequested, Fact::kNodeLost,
    Fact::kRetried, Fact::kEvicted,   Fact::kExpired,         Fact::kElementPlaced};

// Ids are set by the store.
using Events = std::vector<contracts::RunEvent>;

// A new run enters as Pending. Only what admission decided is kept of its status.
Events admit(contracts::Run& run, WallTime now);
// Reason of a pending run that fits nowhere now.
inline constexpr Reason kUnschedulable = "UNSCHEDULABLE";
// Reason of a pending run that nobody has looked at yet, or whose turn is next.
inline constexpr Reason kWaiting = "WAITING";
// Reason of a pending run whose namespace has all of its quota in use.
inline constexpr Reason kQuotaInUse = "QUOTA_IN_USE";

// Pending -> Scheduled with the next attempt. FailedPrecondition (RUN_NOT_PENDING).
Result<Events> bind(contracts::Run& run, const std::string& node, WallTime now);
// Reasons that we give ourselves.
inline constexpr Reason kCancelRequested = "CANCEL_REQUESTED";
inline constexpr Reason kRetry = "RETRY";      // of a pending run that was tried before
inline constexpr Reason kRefused = "REFUSED";  // of one that a node could not begin
inline constexpr Reason kWaitingForNode = "WAITING_FOR_NODE";  // of one that was just placed
inline constexpr Reason kForceDeleted = "FORCE_DELETED";
inline constexpr Reason kNodeDrained = "NODE_DRAINED";
inline constexpr Reason kPreempted = "PREEMPTED";
inline constexpr Reason kDeadlineExceeded = "DEADLINE_EXCEEDED";
// Reasons of a gang's member: another member did not succeed, so this one is ended for good; or the
// whole gang is placed again, so this attempt is ended.
inline constexpr Reason kGangEnded = "GANG_ENDED";
inline constexpr Reason kGangRestarted = "GANG_RESTARTED";

// Whether a run is pending and says something else of why.
bool explains_pending(const contracts::Run& run, Reason reason, const std::string& message);
// Why a pending run is still pending. Returns nothing new when it is what the run says already.
Events explain_pending(contracts::Run& run, Reason reason, const std::string& message,
                       WallTime now);
// What its node observes. Conflict (STALE_ATTEMPT) unless the report is about the current attempt;
// FailedPrecondition (RUN_FINISHED) when the run is terminal. A phase that is behind the stored one
// is an old message and changes nothing. Does not look at the outcome or the output.
Result<Events> observe(contracts::Run& run, const contracts::RunReport& report, WallTime now);
// Takes the outcome that the node reports. Errors as observe(), and InvalidArgument
// (OUTCOME_NOT_TERMINAL). An attempt whose command never started, or that we evicted, is followed
// by another if spec.retry allows it: the run is pending again. A run that its node could not begin
// is placed again in any case.
Result<Events> finish(contracts::Run& run, int64_t attempt, const contracts::RunOutcome& outcome,
                      WallTime now);
// A pending run is Canceled at once; a placed one is marked and ends when its node says so, an
// array when its elements have ended. Asking again, or for a finished run, changes nothing.
Events request_cancel(contracts::Run& run, WallTime now);
// For a run whose node goes away and has not begun it: it is placed elsewhere, and nothing is
// counted. Changes nothing on a run that was begun, or that is to end.
Events release(contracts::Run& run, const std::string& message, WallTime now);
// Failed, reason NODE_LOST, or pending again if spec.retry allows it; no result is invented. The
// attempt is over: its number fences off whatever its node may still say. Changes nothing on a
// pending or terminal run.
Events lose_node(contracts::Run& run, const std::string& message, WallTime now);
// Marks a placed run so that its node ends it. Changes nothing on one that is marked already, that
// a caller has canceled, or that is not placed.
Events evict(contracts::Run& run, contracts::Eviction eviction, WallTime now);
// A run that is being ended on its node is ended there at once: nothing is left of its grace.
// Changes nothing on any other.
Events kill_now(contracts::Run& run, WallTime now);
// When a deletion kills a run that has not ended by itself: if the deletion asked for less than the
// run's own grace, which its node still keeps.
std::optional<WallTime> killed_by_deletion(const contracts::Run& run);
// A placed run that is deleted by force is Canceled, and nobody waits for its node: that ends what
// it holds once no assignment names it. Changes nothing on any other.
Events abandon(contracts::Run& run, WallTime now);
// For a run whose deadline has passed: a pending one has failed, a placed one is evicted.
Events expire(contracts::Run& run, WallTime now);

}  // namespace paddock::runs

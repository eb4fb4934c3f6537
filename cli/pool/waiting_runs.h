// Says what a waiting run needs of a pilot, and why a pool has none for it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/pool/pilots.h"
#include "cli/pool/settings.h"
#include "common/contracts/run.h"

namespace paddock::cli {

// Of a gang the member that stands in the queue for all of them.
struct WaitingRun {
  std::string name_space;
  std::string name;
  std::string uid;
  PilotSize needs;
};

// Nothing if it does not wait for a node that fits: it is not pending, it is being canceled, its
// next attempt is not due, a quota holds it, which no node would change, it is an array, whose
// elements wait for themselves, or a member of a gang for which another one stands in the queue.
std::optional<WaitingRun> waiting_run(const contracts::Run& run, WallTime now);

// Why no pilot of this pool could ever take it, with what would help; empty if one could.
std::string never_fits(const contracts::Run& run, const PoolSettings& settings);

// The size of a job for it: its needs and some memory for the agent, within the settings.
PilotSize size_for(const PilotSize& needs, const SizeSettings& size);

// By priority, then age: as the controller's queue has equals of one namespace.
void sort_as_queued(std::vector<contracts::Run>& runs);

// The label that a job's node gets beside the configured ones: the name of its pool.
inline constexpr const char* kPoolLabel = "paddock.dev/pool";
// An agent stops so long before its job ends.
inline constexpr Millis kBeforeEnd = std::chrono::seconds(30);

}  // namespace paddock::cli

// Checks what a node reports before it is stored or passed on: how much it says of itself, its
// codes, the paths of its artifacts, and how much it sends at once. Artifacts that it names it must
// have sent. Pure.
#pragma once

#include <functional>
#include <string>

#include "common/base/reason.h"
#include "common/contracts/sync.h"

namespace paddock::nodes {

// The most output in one call: the limit of contracts/sync.h, and one chunk that may go beyond it.
inline constexpr size_t kMostOutputBytes = (size_t{512} << 10) + (size_t{64} << 10);
// The reason of a run that succeeded by its node's word, but whose artifacts that node had not
// sent.
inline constexpr Reason kArtifactNotSent = "ARTIFACT_NOT_SENT";

// TooLarge (OUTPUT_TOO_LARGE) when the reports carry more output than a call may.
Status check_output_size(const contracts::SyncRequest& request);

// Keeps what a run's object is given by its node within bounds: phases that are known have times,
// texts and lists are cut far above what an agent sends. What a list lost is told in it, where that
// is a list for people.
void bound_report(contracts::RunReport& report);

// The same for what a node says of itself, which every watcher of nodes is sent. Labels that are
// far too long are dropped.
void bound_node(contracts::SyncRequest& request);

// Codes that are none are replaced, here and in the result.
void tidy_codes(contracts::RunOutcome& outcome);

// Takes out of the outcome each artifact whose path no tree could hold, or that `known` does not
// answer for, names it among what was left out, and fails a run that succeeded otherwise. How many.
using KnownArtifact = std::function<Result<bool>(const contracts::Artifact&)>;
Result<size_t> drop_unproven(contracts::RunOutcome& outcome, const KnownArtifact& known);

}  // namespace paddock::nodes

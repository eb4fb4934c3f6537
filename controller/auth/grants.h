// Whether a run's grants allow what it wants: the one place that decides it. Pure.
//
// A chain is a grant and those that it is a part of, up to one without a parent: it gives what
// every link gives. With several chains, it is enough that one of them gives everything. Without
// any chain nothing is refused here.
#pragma once

#include <optional>
#include <vector>

#include "common/contracts/grant.h"

namespace paddock::auth {

using GrantChain = std::vector<contracts::Grant>;  // the grant itself first
using GrantChains = std::vector<GrantChain>;

struct GrantAnswer {
  contracts::GrantDecision decision;
  std::optional<size_t> chain;  // the first that gives it
};

// Reasons of a refusal: MEDIA_EXECUTION_DISABLED (no chain has media at all), MEDIA_SURFACE_DENIED,
// MEDIA_MODEL_DENIED, MEDIA_COUNT_EXHAUSTED.
GrantAnswer decide_media(const GrantChains& chains, contracts::MediaSurface surface,
                         const std::string& model);

struct ComputeWish {
  contracts::Resources resources;
  std::optional<wire::Duration> timeout;
};
// Reason of a refusal: GRANT_DENIED.
GrantAnswer decide_compute(const GrantChains& chains, const ComputeWish& wish, WallTime now);

// The earliest deadline of a chain.
std::optional<wire::Timestamp> deadline_of(const GrantChain& chain);

// The fields in which a part asks for more than the whole has; empty if it is narrower in
// everything.
std::vector<Cause> wider_fields(const contracts::GrantSpec& part,
                                const contracts::GrantSpec& whole);

// Whether a caller that has `own` may name `chain`: one of its own, or a part of one. Who has none
// is not held to any.
bool may_name(const GrantChains& own, const GrantChain& chain);

// A refusal as an error for the caller; the rules that failed are its causes.
Error denial_of(const contracts::GrantDecision& decision);

}  // namespace paddock::auth

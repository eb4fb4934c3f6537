// Bounds the size of outcomes, which depends on what the run left: names, refusals and output, of
// which a byte may take seven in JSON. An outcome that no call could carry would keep its node from
// being heard. Pure.
#pragma once

#include <cstddef>

#include "common/contracts/sync.h"

namespace paddock::sync {

// The same outcome in at most `most_bytes` of JSON, as far as this is enough: first the list of
// what was left out is cut, then that of denials, each with an entry for what it lacks; then both
// streams go, which the log has; then what the caller asked for; then all that is left of lists and
// long texts. How the run ended (phases, reasons, status, rc, code) and its artifacts, which are
// bounded where they are collected, stay.
struct BoundedOutcome {
  contracts::RunOutcome outcome;
  size_t bytes = 0;  // of JSON
};
BoundedOutcome cut_to(size_t most_bytes, contracts::RunOutcome outcome);

}  // namespace paddock::sync

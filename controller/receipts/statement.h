// Makes the statement of a receipt about a run, in the format of in-toto. Pure.
#pragma once

#include "common/contracts/run.h"
#include "common/wire/value.h"

namespace paddock::receipts {

// Subjects are what the run gave: its artifacts, and its output as far as it was kept. Inputs are
// named by digest; texts that programs wrote are not in it. The run has ended.
wire::Value statement(const contracts::Run& run);

}  // namespace paddock::receipts

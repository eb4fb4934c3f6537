// Decides what to do with a run found on disk, or with a new one: a pure decision over what is
// known about it.
#pragma once

#include "node-agent/executor/run_folder.h"

namespace paddock::executor {

struct RunFacts {
  Stage stage = Stage::kAccepted;
  bool launcher_alive = false;  // its lock is held
  bool has_result = false;      // the event stream ends with a result frame
};

enum class NextStep {
  kPrepare,  // nothing was started: from the beginning
  kFollow,   // the launcher runs: read along
  kCollect,  // the launcher finished: artifacts, then the outcome
  kLost,     // the launcher is gone and left no result: say so, never start again
  kReport,   // the outcome is known
};

NextStep next_step(const RunFacts& facts);

}  // namespace paddock::executor

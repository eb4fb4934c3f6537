#include "node-agent/executor/recovery.h"

namespace paddock::executor {

NextStep next_step(const RunFacts& facts) {
  switch (facts.stage) {
    case Stage::kAccepted:
      return NextStep::kPrepare;
    case Stage::kEnded:
      return NextStep::kReport;
    case Stage::kLaunching:
      if (facts.has_result) return NextStep::kCollect;
      return facts.launcher_alive ? NextStep::kFollow : NextStep::kLost;
  }
  return NextStep::kLost;
}

}  // namespace paddock::executor

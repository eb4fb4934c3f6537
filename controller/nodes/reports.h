// Stores what a node observed of its runs, inside a transaction.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/sync.h"
#include "controller/store/store.h"
#include "controller/volumes/publish.h"

namespace paddock::nodes {

// The time that an attempt held accelerators, which ended with this report.
struct DeviceTime {
  std::string name_space;
  contracts::AcceleratorKind kind = contracts::AcceleratorKind::kAny;  // as asked for
  Millis held{0};                                                      // times their number
};
using DeviceTimes = std::vector<DeviceTime>;

// Applies one report, with what volumes::prepare() made of it, or ignores it when the run is not
// this node's, the attempt is not the current one or the run has ended. Adds to `held`.
Status apply_report(store::WriteTxn& txn, const std::string& node,
                    const contracts::RunReport& report, const volumes::Publishing& publishing,
                    WallTime now, DeviceTimes& held);

}  // namespace paddock::nodes

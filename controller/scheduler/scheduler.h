// Everything at once: for tests, and for questions about a state that is not the present one.
#pragma once

#include "controller/scheduler/cluster.h"

namespace paddock::scheduler {

struct WholePlan {
  std::vector<Binding> bindings;
  std::vector<Unplaced> unplaced;
};
// `active`: every run that is not terminal, placed or waiting.
WholePlan schedule(const std::vector<contracts::Run>& active,
                   const std::vector<contracts::Node>& nodes, Cluster::Config config = {},
                   WallTime now = {});

}  // namespace paddock::scheduler

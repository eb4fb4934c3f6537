#include "controller/scheduler/scheduler.h"

namespace paddock::scheduler {

WholePlan schedule(const std::vector<contracts::Run>& active,
                   const std::vector<contracts::Node>& nodes, Cluster::Config config,
                   WallTime now) {
  Cluster cluster(std::move(config));
  for (const contracts::Node& node : nodes) cluster.put_node(node);
  for (const contracts::Run& run : active) cluster.put_run(run);
  WholePlan plan;
  plan.bindings = cluster.pass(now).bindings;
  plan.unplaced = cluster.explain(active.size());
  return plan;
}

}  // namespace paddock::scheduler

// One pass over runs and nodes, for tests: what is placed where, or why not.
#pragma once

#include <string>
#include <vector>

#include "common/base/text.h"
#include "controller/scheduler/scheduler.h"

namespace paddock::scheduler {

inline contracts::Node make_node(const std::string& name, int64_t cpu = 4,
                                 int64_t memory = 8LL << 30) {
  contracts::Node node;
  node.metadata.name = name;
  node.status.ready = true;
  node.status.capacity = {cpu, {memory}, {1LL << 40}, 4};
  return node;
}

inline contracts::Run make_run(const std::string& name) {
  contracts::Run run;
  run.metadata.name = name;
  run.metadata.uid = name;
  run.metadata.creation_timestamp = wire::Timestamp{{1000}};
  return run;
}

inline WholePlan plan(const std::vector<contracts::Run>& runs,
                      const std::vector<contracts::Node>& nodes) {
  return schedule(runs, nodes);
}

inline std::string reason(const contracts::Run& run, const std::vector<contracts::Node>& nodes) {
  const WholePlan made = plan({run}, nodes);
  return made.unplaced.empty() ? "placed on " + made.bindings.at(0).node
                               : made.unplaced.at(0).why.message;
}

}  // namespace paddock::scheduler

// What the scheduler does and what nodes are, as lines of /metrics.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/node.h"
#include "controller/reconciler/reconciler.h"

namespace paddock::api {

std::string scheduling_text(const reconciler::Totals& totals);
std::string nodes_text(const std::vector<contracts::Node>& nodes);
std::string cool_downs_text(const std::vector<contracts::Node>& nodes);
std::string disks_text(const std::vector<contracts::Node>& nodes);
std::string devices_text(const std::vector<contracts::Node>& nodes);

}  // namespace paddock::api

// The use that each node last reported for itself and its runs. It is kept in memory alone, as it
// is old within seconds: after a restart of the controller agents report it again. Thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/base/guarded.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/usage.h"
#include "controller/nodes/leases.h"

namespace paddock::nodes {

// An agent reports with each call, at least every ten seconds; older values are not shown any more.
inline constexpr Millis kUsageFresh{30'000};

struct Measured {
  contracts::Use use;
  WallTime at;
};

// A node's words are believed as far as its size goes: an amount beyond it is as if not measured.
// Pure.
contracts::Use believed(contracts::Use use, const contracts::NodeStatus& node);

class UsageTable {
 public:
  // Replaces the earlier report of this node.
  void note(const std::string& node, const contracts::UsageReport& report, Now now);
  std::optional<Measured> of_node(const contracts::Node& node, MonoTime now) const;
  // The use of this attempt; nothing unless the node that holds it reported it.
  std::optional<Measured> of_run(const contracts::Run& run, const contracts::Node& node,
                                 MonoTime now) const;

 private:
  struct Entry {
    Now heard;
    contracts::Use node;
    std::map<std::pair<std::string, int64_t>, contracts::Use> runs;
  };
  struct State {
    std::map<std::string, Entry> nodes;
    MonoTime pruned{};
  };
  static const Entry* fresh(const State& state, const std::string& node, MonoTime now);
  Guarded<State> state_;
};

}  // namespace paddock::nodes

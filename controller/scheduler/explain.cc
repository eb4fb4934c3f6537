#include "controller/scheduler/explain.h"

#include <algorithm>
#include <bit>

#include "common/base/text.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

std::optional<size_t> refused_by(const Demand& demand, const NodeState& node) {
  const auto all = filters();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].admits(demand, node)) return i;
  }
  return std::nullopt;
}

namespace {

// The nodes that a filter refused.
struct Refused {
  int64_t nodes = 0;
  int64_t most_offered = 0;
};

// Roughly, so that what waits is not told anew at each change: rounded down to a power of two.
std::string offered_text(const Filter& filter, const Refused& refused) {
  if (filter.offers == nullptr) return "";
  const auto most =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(refused.most_offered)));
  return most < (1 << 20) ? " (none has any)"
                          : cat(" (the emptiest has at least ", format_bytes(most), ")");
}

}  // namespace

std::vector<NodeGroup> group_refusals(const Demand& demand, const NodeIndex& nodes) {
  std::vector<Refused> refused(filters().size());
  for (const auto& [name, id] : nodes.by_name()) {
    const NodeState& node = nodes.at(id);
    const auto filter = refused_by(demand, node);
    if (!filter) return {};
    Refused& mine = refused[*filter];
    ++mine.nodes;
    if (const auto offers = filters()[*filter].offers)
      mine.most_offered = std::max(mine.most_offered, offers(node));
  }
  std::vector<NodeGroup> groups;
  for (size_t i = 0; i < refused.size(); ++i) {
    const int64_t count = refused[i].nodes;
    if (count == 0) continue;
    Misfit reason = filters()[i].explain(demand);
    groups.push_back(
        {count, cat(count == 1 ? reason.one : reason.many, offered_text(filters()[i], refused[i])),
         std::move(reason.remedy)});
  }
  return groups;
}

std::string refusal_text(size_t nodes, const std::vector<NodeGroup>& groups) {
  if (nodes == 0) return "0/0 nodes fit: no node is enrolled; would help: start a node agent";
  std::vector<std::string> reasons;
  std::vector<std::string> remedies;
  for (const NodeGroup& group : groups) {
    reasons.push_back(cat(group.nodes, " ", group.reason));
    remedies.push_back(group.remedy);
  }
  return cat("0/", nodes, " nodes fit: ", join(reasons, ", "),
             "; would help: ", join(remedies, ", or "));
}

}  // namespace paddock::scheduler

// Explains in words why runs wait, and what would happen to one more.
#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "controller/scheduler/cluster.h"

namespace paddock::scheduler {

Why Cluster::why(const Entry& entry) {
  DemandClass& wanted = classes_.at(entry.demand);
  auto over = config_.quotas.refusal(entry.name_space, charged(entry.name_space),
                                     whole_charge_of(wanted.demand));
  if (over) return {Why::For::kQuota, std::move(*over)};
  if (wanted.explained_version == version_) return wanted.explanation;
  const Refusals refusals = find_refusals(wanted.demand, nodes_);
  wanted.explained_version = version_;
  wanted.explanation =
      refusals.fit >= wanted.demand.nodes
          ? Why{Why::For::kTurn, "a node has room for it: its turn is next"}
          : Why{Why::For::kNode, refusal_text(wanted.demand, nodes_.size(), refusals)};
  return wanted.explanation;
}

// When a node is asked again that refused the run; empty: it waits for none.
std::string Cluster::way_back(const Entry& entry) {
  const Demand& demand = classes_.at(entry.demand).demand;
  const std::string at = format_time(WallTime{entry.asks_again_ms});
  if (demand.disk_for_files > 0 && entry.asks_again_ms > 0)
    return cat("; a node is asked again at ", at, ", as its files may be there by then");
  if (demand.goes_back || !nodes_.find(demand.kept_off)) return "";
  const std::string when = entry.others_could ? "once no other one could take it"
                                              : cat("if no other one could take it at ", at);
  return cat("; node ", demand.kept_off, " is asked again ", when);
}

Unplaced Cluster::explained(const std::string& uid, const Entry& entry) {
  const auto counted = positions_.find(uid);
  const int64_t position = counted == positions_.end() ? 0 : counted->second;
  if (position > 0) told_[uid] = position;
  Why said = why(entry);
  if (said.what == Why::For::kNode) said.message += way_back(entry);
  return {entry.name_space, entry.name, uid, std::move(said), position};
}

// The first member of a gang stands in the queue for all of them, and the others say so.
std::optional<Unplaced> Cluster::explained_by_first(const std::string& uid, const Entry& entry) {
  const auto gang = gangs_.find(entry.gang);
  if (gang == gangs_.end() || entry.queued || !all_wait(gang->second)) return std::nullopt;
  return Unplaced{
      entry.name_space,
      entry.name,
      uid,
      {Why::For::kNode, cat("all members of the gang are placed at once, and ",
                            runs_.at(*gang->second.due.begin()).name, " says why they wait")},
      kNoPosition};
}

void Cluster::count_positions() {
  if (counted_version_ == version_) return;
  counted_version_ = version_;
  positions_.clear();
  for (const std::string& uid : queue_.front(kToldPositions))
    positions_.emplace(uid, static_cast<int64_t>(positions_.size()) + 1);
  std::erase_if(told_, [this](const auto& each) { return !positions_.contains(each.first); });
}

void Cluster::begin_round() {
  overdue_.merge(unexplained_);
  unexplained_.clear();
  told_at_once_ = 0;
}

std::vector<Unplaced> Cluster::explain(size_t most, bool others, size_t at_once) {
  std::vector<Unplaced> out;
  const bool new_ones = !unexplained_.empty() && told_at_once_ < at_once;
  if (!others && overdue_.empty() && !new_ones) return out;
  count_positions();
  if (others) {
    mark_moved();
    begin_round();
  }
  explain_some(overdue_, most, out);
  const size_t left = at_once - std::min(at_once, told_at_once_);
  told_at_once_ += explain_some(unexplained_, std::min(left, most - out.size()), out);
  if (others) explain_in_turn(most, out);
  return out;
}

// Explains up to `most` of these runs and returns how many it did. The others that were taken out
// are explained when they are due.
size_t Cluster::explain_some(std::set<std::string>& uids, size_t most, std::vector<Unplaced>& out) {
  const size_t before = out.size();
  while (out.size() - before < most && !uids.empty()) {
    const std::string uid = *uids.begin();
    uids.erase(uids.begin());
    const Entry& entry = runs_.at(uid);
    if (entry.queued) out.push_back(explained(uid, entry));
    if (auto told = explained_by_first(uid, entry)) out.push_back(std::move(*told));
  }
  return out.size() - before;
}

void Cluster::forget_unexplained(const std::string& uid) {
  unexplained_.erase(uid);
  overdue_.erase(uid);
}

// Runs whose place in the queue changed are explained before others.
void Cluster::mark_moved() {
  told_version_ = version_;
  for (const auto& [uid, position] : positions_) {
    const auto before = told_.find(uid);
    if (before == told_.end() || before->second != position) overdue_.insert(uid);
  }
}

void Cluster::explain_in_turn(size_t most, std::vector<Unplaced>& out) {
  if (waiting_ == 0) return;
  std::unordered_set<std::string> said;
  for (const Unplaced& each : out) said.insert(each.uid);
  auto next = runs_.upper_bound(explained_up_to_);
  const size_t look_at = std::min(runs_.size(), 4 * std::min(most, runs_.size()));
  for (size_t seen = 0; out.size() < most && seen < look_at; ++seen, ++next) {
    if (next == runs_.end()) next = runs_.begin();
    explained_up_to_ = next->first;
    if (next->second.queued && !said.contains(next->first))
      out.push_back(explained(next->first, next->second));
  }
}

Preview Cluster::preview(const contracts::Run& run) {
  Preview out;
  const Demand demand = demand_of(run);
  KindAnswers answers;
  for (const auto& [priority, level] : queue_.levels()) {
    if (priority < run.spec.priority) break;
    for (const auto& [name, space] : level) {
      for (const auto& [id, line] : space) out.ahead += static_cast<int64_t>(line.size());
    }
  }
  const std::string& space = run.metadata.name_space;
  const auto over = config_.quotas.refusal(space, charged(space), whole_charge_of(demand));
  if (over) {
    out.over_quota = true;
    out.message = *over;
  }
  const auto [nodes, missing] =
      nodes_.search_many(demand, answers, static_cast<size_t>(demand.nodes));
  if (missing > 0) {
    Refusals refusals = find_refusals(demand, nodes_);
    if (!over) out.message = refusal_text(demand, nodes_.size(), refusals);
    out.groups = std::move(refusals.groups);
  } else if (!over) {
    out.node = nodes_.at(nodes.front()).name;
  }
  return out;
}

}  // namespace paddock::scheduler

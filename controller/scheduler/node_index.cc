#include "controller/scheduler/node_index.h"

#include <algorithm>

#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

namespace {

Amounts unused_of(const NodeState& node) {
  Amounts out{node.capacity.cpu - node.used_cpu,
              node.capacity.memory.bytes - node.used_memory,
              node.capacity.max_runs - node.used_runs,
              unused_disk(node),
              node.ms_left,
              node.devices};
  for (size_t kind = 0; kind < out.devices.size(); ++kind)
    out.devices[kind] -= node.used_devices[kind];
  return out;
}

void raise_to(Amounts& most, const Amounts& one) {
  most.cpu = std::max(most.cpu, one.cpu);
  most.memory = std::max(most.memory, one.memory);
  most.runs = std::max(most.runs, one.runs);
  most.disk = std::max(most.disk, one.disk);
  most.ms = std::max(most.ms, one.ms);
  for (size_t kind = 0; kind < most.devices.size(); ++kind)
    most.devices[kind] = std::max(most.devices[kind], one.devices[kind]);
}

void count(Usage& capacity, const NodeState& node, int64_t sign) {
  capacity.runs += sign * node.capacity.max_runs;
  capacity.cpu += sign * node.capacity.cpu;
  capacity.memory += sign * node.capacity.memory.bytes;
  capacity.accelerators +=
      sign * node.devices[static_cast<size_t>(contracts::AcceleratorKind::kAny)];
  capacity.disk += sign * node.disk.value_or(0);
}

bool has_devices(const NodeState& node) {
  return node.devices[static_cast<size_t>(contracts::AcceleratorKind::kAny)] > 0;
}

bool kind_filters_admit(const Demand& demand, const NodeState& node) {
  return std::ranges::all_of(filters(), [&](const Filter& filter) {
    return filter.depends_on != DependsOn::kKindOfNode || filter.admits(demand, node);
  });
}

}  // namespace

Amounts amounts_of(const Demand& demand) {
  Amounts out{demand.cpu, demand.memory, 1, asked_disk(demand), asked_ms(demand), {}};
  if (demand.accelerators)
    out.devices[static_cast<size_t>(demand.accelerators->kind)] = demand.accelerators->count;
  return out;
}

// An amount that the run does not ask for may be below zero: a node that has become smaller keeps
// its runs.
bool fits(const Amounts& asked, const Amounts& unused) {
  const auto enough = [](int64_t want, int64_t have) { return want == 0 || want <= have; };
  return asked.runs <= unused.runs && asked.disk <= unused.disk && asked.ms <= unused.ms &&
         enough(asked.cpu, unused.cpu) && enough(asked.memory, unused.memory) &&
         enough(asked.devices[0], unused.devices[0]) &&
         enough(asked.devices[1], unused.devices[1]) && enough(asked.devices[2], unused.devices[2]);
}

struct NodeIndex::Best {
  std::optional<Id> id;
  Score score;
  size_t found = 0;
};

uint32_t NodeIndex::kind_of(const NodeState& state) {
  std::string key = kind_key(state);
  const auto known = kind_by_key_.find(key);
  if (known != kind_by_key_.end()) {
    ++kinds_[known->second].members;
    return known->second;
  }
  uint32_t kind = static_cast<uint32_t>(kinds_.size());
  if (unused_kinds_.empty()) {
    kinds_.emplace_back();
  } else {
    kind = unused_kinds_.back();
    unused_kinds_.pop_back();
    ++kinds_epoch_;
  }
  kinds_[kind] = {key, 1};
  kind_by_key_.emplace(std::move(key), kind);
  return kind;
}

void NodeIndex::leave_kind(uint32_t kind) {
  if (--kinds_[kind].members > 0) return;
  kind_by_key_.erase(kinds_[kind].key);
  unused_kinds_.push_back(kind);
}

NodeIndex::Id NodeIndex::put(NodeState state) {
  const auto known = by_name_.find(state.name);
  Id id = static_cast<Id>(nodes_.size());
  if (known != by_name_.end()) {
    id = known->second;
    const NodeState& before = nodes_[id].state;
    state.used_cpu = before.used_cpu;
    state.used_memory = before.used_memory;
    state.used_disk = before.used_disk;
    state.used_runs = before.used_runs;
    state.used_devices = before.used_devices;
    count(capacity_, before, -1);
    leave_kind(nodes_[id].kind);
  } else if (unused_ids_.empty()) {
    nodes_.emplace_back();
  } else {
    id = unused_ids_.back();
    unused_ids_.pop_back();
  }
  Entry& entry = nodes_[id];
  that_end_.erase(id);
  if (state.ends_at) that_end_.insert(id);
  state.ms_left = ms_left(state, now_);
  const uint32_t tier = has_devices(state) ? 1 : 0;
  if (known == by_name_.end() || tier != entry.tier) order_is_old_ = true;
  by_name_[state.name] = id;
  count(capacity_, state, 1);
  entry.kind = kind_of(state);
  entry.state = std::move(state);
  entry.tier = tier;
  entry.used = true;
  refresh(entry);
  return id;
}

void NodeIndex::remove(const std::string& name) {
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return;
  Entry& entry = nodes_[known->second];
  count(capacity_, entry.state, -1);
  leave_kind(entry.kind);
  that_end_.erase(known->second);
  entry = {};
  unused_ids_.push_back(known->second);
  by_name_.erase(known);
  order_is_old_ = true;
}

std::optional<NodeIndex::Id> NodeIndex::find(const std::string& name) const {
  const auto known = by_name_.find(name);
  return known == by_name_.end() ? std::optional<Id>() : known->second;
}

void NodeIndex::pass_time(WallTime now) {
  now_ = now;
  for (const Id id : that_end_) {
    Entry& entry = nodes_[id];
    entry.state.ms_left = ms_left(entry.state, now);
    refresh(entry);
  }
}

// After a change of what is unused here. The block's bound only rises; a search lowers it again.
void NodeIndex::refresh(Entry& entry) {
  entry.unused = unused_of(entry.state);
  if (order_is_old_) return;
  raise_to(tiers_[entry.tier].most_unused[entry.position / kBlock], entry.unused);
}

void NodeIndex::rebuild() {
  order_is_old_ = false;
  for (Tier& tier : tiers_) {
    tier.order.clear();
    tier.most_unused.clear();
  }
  for (const auto& [name, id] : by_name_) {
    Entry& entry = nodes_[id];
    Tier& tier = tiers_[entry.tier];
    entry.position = static_cast<uint32_t>(tier.order.size());
    tier.order.push_back(id);
    if (entry.position % kBlock == 0) tier.most_unused.push_back(entry.unused);
    raise_to(tier.most_unused.back(), entry.unused);
  }
}

void NodeIndex::occupy(Id id, const Demand& demand) {
  scheduler::occupy(nodes_[id].state, demand);
  nodes_[id].unused = unused_of(nodes_[id].state);
}

void NodeIndex::recount(Id id, const std::vector<const Demand*>& runs) {
  NodeState& state = nodes_[id].state;
  empty(state);
  for (const Demand* run : runs) scheduler::occupy(state, *run);
  refresh(nodes_[id]);
}

bool NodeIndex::kind_admits(const Demand& demand, KindAnswers& answers, const Entry& entry) {
  if (answers.epoch != kinds_epoch_) answers = {kinds_epoch_, {}};
  if (answers.by_kind.size() < kinds_.size()) answers.by_kind.resize(kinds_.size());
  uint8_t& answer = answers.by_kind[entry.kind];
  if (answer == 0) answer = kind_filters_admit(demand, entry.state) ? 2 : 1;
  return answer == 2;
}

bool NodeIndex::takes(const Demand& demand, const Amounts& asked, KindAnswers& answers,
                      const Entry& entry) {
  return fits(asked, entry.unused) && kKeptOffFilter.admits(demand, entry.state) &&
         kind_admits(demand, answers, entry);
}

bool NodeIndex::admits(const Demand& demand, KindAnswers& answers, Id id) {
  return takes(demand, amounts_of(demand), answers, nodes_[id]);
}

void NodeIndex::search_block(Tier& tier, size_t block, const Demand& demand, const Amounts& asked,
                             KindAnswers& answers, Best& best) {
  const size_t end = std::min((block + 1) * kBlock, tier.order.size());
  Amounts most = nodes_[tier.order[block * kBlock]].unused;
  for (size_t i = block * kBlock; i < end; ++i) {
    const Id id = tier.order[i];
    const Entry& entry = nodes_[id];
    raise_to(most, entry.unused);
    ++looked_at_;
    if (!takes(demand, asked, answers, entry)) continue;
    ++best.found;
    const Score mine = score(demand, entry.state);
    const bool better = !best.id || mine > best.score ||
                        (mine == best.score && entry.state.name < nodes_[*best.id].state.name);
    if (!better) continue;
    best.id = id;
    best.score = mine;
  }
  tier.most_unused[block] = most;
}

std::optional<NodeIndex::Id> NodeIndex::search_tier(Tier& tier, const Demand& demand,
                                                    KindAnswers& answers) {
  const size_t blocks = tier.most_unused.size();
  if (blocks == 0) return std::nullopt;
  const bool whole = tier.order.size() <= kScanAll;
  const size_t enough = whole ? tier.order.size() : kEnough;
  const Amounts asked = amounts_of(demand);
  size_t block = whole || tier.next_block >= blocks ? 0 : tier.next_block;
  Best best;
  for (size_t seen = 0; seen < blocks && best.found < enough; ++seen) {
    if (fits(asked, tier.most_unused[block]))
      search_block(tier, block, demand, asked, answers, best);
    block = block + 1 == blocks ? 0 : block + 1;
  }
  tier.next_block = block;
  return best.id;
}

std::optional<NodeIndex::Id> NodeIndex::search(const Demand& demand, KindAnswers& answers) {
  if (order_is_old_) rebuild();
  if (!demand.accelerators) {
    if (const auto plain = search_tier(tiers_[0], demand, answers)) return plain;
  }
  return search_tier(tiers_[1], demand, answers);
}

// Collects the nodes of a tier that can take the run: all of a small tier, and of a larger one
// enough to choose from.
void NodeIndex::collect(Tier& tier, const Demand& demand, KindAnswers& answers, size_t wanted,
                        std::vector<Id>& out) {
  const size_t blocks = tier.most_unused.size();
  if (blocks == 0) return;
  const bool whole = tier.order.size() <= kScanAll;
  const size_t enough = whole ? tier.order.size() : std::max(kEnough, wanted);
  const Amounts asked = amounts_of(demand);
  size_t block = whole || tier.next_block >= blocks ? 0 : tier.next_block;
  size_t found = 0;
  for (size_t seen = 0; seen < blocks && found < enough; ++seen) {
    const size_t end = std::min((block + 1) * kBlock, tier.order.size());
    const bool may_fit = fits(asked, tier.most_unused[block]);
    for (size_t i = may_fit ? block * kBlock : end; i < end; ++i) {
      const Entry& entry = nodes_[tier.order[i]];
      ++looked_at_;
      if (!takes(demand, asked, answers, entry)) continue;
      out.push_back(tier.order[i]);
      ++found;
    }
    block = block + 1 == blocks ? 0 : block + 1;
  }
  tier.next_block = block;
}

NodeIndex::Several NodeIndex::search_many(const Demand& demand, KindAnswers& answers,
                                          size_t wanted) {
  if (order_is_old_) rebuild();
  std::vector<Id> found;
  if (!demand.accelerators) collect(tiers_[0], demand, answers, wanted, found);
  if (found.size() < wanted) collect(tiers_[1], demand, answers, wanted, found);
  if (found.size() < wanted) return {{}, wanted - found.size()};
  std::vector<std::pair<Score, Id>> scored;
  for (const Id id : found) scored.emplace_back(score(demand, at(id)), id);
  const auto by_name = [this](Id a, Id b) { return at(a).name < at(b).name; };
  std::ranges::sort(scored, [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : by_name(a.second, b.second);
  });
  Several out;
  for (size_t i = 0; i < wanted; ++i) out.ids.push_back(scored[i].second);
  std::ranges::sort(out.ids, by_name);
  return out;
}

}  // namespace paddock::scheduler

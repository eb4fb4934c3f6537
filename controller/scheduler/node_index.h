// All nodes, kept so that a place for a run is found without asking each of them.
//
// Nodes are grouped into kinds: what filters of DependsOn::kKindOfNode say of one they say of all.
// What is free is kept as the maximum of each block of 64 nodes, so that a full part of a cluster
// costs one comparison. Small clusters (kScanAll) are searched whole, larger ones from where the
// last search ended until kEnough nodes fit. Deterministic.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controller/scheduler/node_state.h"
#include "controller/scheduler/quota.h"
#include "controller/scheduler/score.h"

namespace paddock::scheduler {

// What is free of a node, or asked for by a run.
struct Amounts {
  int64_t cpu = 0;
  int64_t memory = 0;
  int64_t runs = 0;
  int64_t disk = 0;
  int64_t ms = 0;  // how long it is there, or must be
  DeviceCount devices{};
};
Amounts amounts_of(const Demand& demand);
bool fits(const Amounts& asked, const Amounts& unused);

// The answers of the kinds of nodes for one demand, remembered from search to search.
struct KindAnswers {
  uint64_t epoch = 0;
  std::vector<uint8_t> by_kind;  // 0: not asked yet, 1: refuses, 2: admits
};

class NodeIndex {
 public:
  using Id = uint32_t;

  static constexpr size_t kScanAll = 256;
  static constexpr size_t kEnough = 32;
  static constexpr size_t kBlock = 64;

  Id put(NodeState state);  // by name; keeps what is in use of one that is known
  void remove(const std::string& name);
  std::optional<Id> find(const std::string& name) const;
  const NodeState& at(Id id) const { return nodes_[id].state; }
  size_t size() const { return by_name_.size(); }
  // In the order of their names.
  const std::map<std::string, Id>& by_name() const { return by_name_; }

  // Nodes that end have less time left now.
  void pass_time(WallTime now);

  void occupy(Id id, const Demand& demand);
  // Counts anew what the runs that are left on the node take.
  void recount(Id id, const std::vector<const Demand*>& runs);

  // The best node that can take it now.
  std::optional<Id> search(const Demand& demand, KindAnswers& answers);
  struct Several {
    std::vector<Id> ids;
    size_t missing = 0;
  };
  // The best `wanted` of them, by name; if there are not so many none, and how many are missing.
  Several search_many(const Demand& demand, KindAnswers& answers, size_t wanted);
  bool admits(const Demand& demand, KindAnswers& answers, Id id);
  // How many times a search looked at a node by itself: what searches have cost so far.
  uint64_t looked_at() const { return looked_at_; }
  // What all nodes together have.
  const Usage& capacity() const { return capacity_; }

 private:
  struct Entry {
    NodeState state;
    Amounts unused;
    uint32_t kind = 0;
    uint32_t tier = 0;
    uint32_t position = 0;
    bool used = false;
  };
  struct Kind {
    std::string key;
    size_t members = 0;
  };
  // Nodes without devices, and nodes with: runs that need none keep off the latter.
  struct Tier {
    std::vector<Id> order;
    std::vector<Amounts> most_unused;  // by block; an upper bound
    size_t next_block = 0;
  };
  struct Best;
  uint32_t kind_of(const NodeState& state);
  void leave_kind(uint32_t kind);
  void refresh(Entry& entry);
  void rebuild();
  bool kind_admits(const Demand& demand, KindAnswers& answers, const Entry& entry);
  bool takes(const Demand& demand, const Amounts& asked, KindAnswers& answers, const Entry& entry);
  void search_block(Tier& tier, size_t block, const Demand& demand, const Amounts& asked,
                    KindAnswers& answers, Best& best);
  void collect(Tier& tier, const Demand& demand, KindAnswers& answers, size_t wanted,
               std::vector<Id>& out);
  std::optional<Id> search_tier(Tier& tier, const Demand& demand, KindAnswers& answers);

  std::vector<Entry> nodes_;
  std::vector<Id> unused_ids_;
  std::map<std::string, Id> by_name_;
  std::set<Id> that_end_;
  WallTime now_;
  std::vector<Kind> kinds_;
  std::vector<uint32_t> unused_kinds_;
  std::map<std::string, uint32_t> kind_by_key_;
  uint64_t kinds_epoch_ = 1;  // changes when a kind's number gets another meaning
  std::array<Tier, 2> tiers_;
  bool order_is_old_ = false;
  uint64_t looked_at_ = 0;
  Usage capacity_;
};

}  // namespace paddock::scheduler

#include "controller/scheduler/demand_classes.h"

namespace paddock::scheduler {

DemandClasses::Id DemandClasses::join(const Demand& demand) {
  std::string key = key_of(demand);
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    ++classes_[known->second].members;
    return known->second;
  }
  Id id = static_cast<Id>(classes_.size());
  if (unused_.empty()) {
    classes_.emplace_back();
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  DemandClass& made = classes_[id];
  made = {};
  made.demand = demand;
  made.key = key;
  made.members = 1;
  by_key_.emplace(std::move(key), id);
  return id;
}

void DemandClasses::leave(Id id) {
  DemandClass& left = classes_[id];
  if (--left.members > 0) return;
  by_key_.erase(left.key);
  left = {};
  unused_.push_back(id);
}

void DemandClasses::forget_answers_over(size_t bytes) {
  size_t used = 0;
  for (const DemandClass& one : classes_) used += one.answers.by_kind.size();
  if (used <= bytes) return;
  for (DemandClass& one : classes_) one.answers = {};
}

}  // namespace paddock::scheduler

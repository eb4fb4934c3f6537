// Runs that ask for the same share one class: what is found out for one holds for all of them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "controller/scheduler/node_index.h"

namespace paddock::scheduler {

struct DemandClass {
  Demand demand;
  std::string key;
  size_t members = 0;
  KindAnswers answers;
  bool blocked = false;  // fits nowhere until something is given back or changes
  size_t missing = 0;    // if blocked: on how many nodes at least
  // Why, as of this version of the cluster.
  uint64_t explained_version = 0;
  Why explanation;
  // Whether another node could take it than the one that it is kept off, likewise.
  uint64_t others_version = 0;
  bool others_could = false;
};

class DemandClasses {
 public:
  using Id = uint32_t;
  Id join(const Demand& demand);
  void leave(Id id);
  DemandClass& at(Id id) { return classes_[id]; }
  // Every class that has members.
  template <class F>
  void each(F&& f) {
    for (DemandClass& one : classes_) {
      if (one.members > 0) f(one);
    }
  }
  // Bounds what is remembered about kinds of nodes, which classes times kinds could make large.
  void forget_answers_over(size_t bytes);

 private:
  std::vector<DemandClass> classes_;
  std::vector<Id> unused_;
  std::unordered_map<std::string, Id> by_key_;
};

}  // namespace paddock::scheduler

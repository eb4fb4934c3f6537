// The runs that wait, in the order in which they are looked at: by priority; among equals the
// namespace with the smallest share of the cluster; within it by age, then uid.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controller/scheduler/demand_classes.h"

namespace paddock::scheduler {

struct Waiting {
  int64_t created_ms = 0;
  std::string uid;
  friend auto operator<=>(const Waiting&, const Waiting&) = default;
};

class Queue {
 public:
  using Line = std::set<Waiting>;                           // one class's, oldest first
  using Space = std::map<DemandClasses::Id, Line>;          // one namespace's
  using Level = std::map<std::string, Space>;               // one priority's, by namespace
  using Levels = std::map<int64_t, Level, std::greater<>>;  // the highest first

  void add(int64_t priority, const std::string& name_space, DemandClasses::Id id, Waiting run);
  void remove(int64_t priority, const std::string& name_space, DemandClasses::Id id,
              const Waiting& run);
  // The first so many by priority, age and uid: their order if no namespace has more than its
  // share.
  std::vector<std::string> front(size_t most) const;
  Levels& levels() { return levels_; }
  const Levels& levels() const { return levels_; }

 private:
  Levels levels_;
};

}  // namespace paddock::scheduler

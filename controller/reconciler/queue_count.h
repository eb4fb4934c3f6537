// Counts the places of its quota `pending` that each namespace uses. A run that waits takes one
// place; a gang takes one for each of its members until they are made. An array that has elements
// to make waits too, and takes one place. Its first waiting element takes that place over.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "common/contracts/run.h"

namespace paddock::reconciler {

class QueueCount {
 public:
  // An active run, as it is now.
  void put(const contracts::Run& run);
  void drop(const std::string& uid);
  void clear();

  int64_t waiting_in(const std::string& name_space) const;
  // Whether the array takes a place itself, which its next element takes over.
  bool has_own_place(const std::string& array_uid) const;

 private:
  struct QueuedRun {
    std::string name_space;
    int64_t places = 0;
    bool makes = false;     // an array with elements to make
    std::string array_uid;  // of an element that waits
  };
  struct Maker {
    bool makes = false;
    int64_t waiting = 0;  // of its elements
  };
  void add(const std::string& uid, const QueuedRun& known, int sign);

  std::unordered_map<std::string, QueuedRun> runs_;  // by uid
  std::unordered_map<std::string, Maker> makers_;    // by uid of the array
  std::map<std::string, int64_t> waiting_;           // by namespace
};

}  // namespace paddock::reconciler

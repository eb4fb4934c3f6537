// The arrays, their living elements, and what happened to them since the array step last looked: a
// part of the cluster cache, kept up to date from the same changes. It only tells where to look:
// what became of an element is read from the store.
#pragma once

#include <map>
#include <set>
#include <string>

#include "common/contracts/run.h"
#include "controller/store/store.h"

namespace paddock::reconciler {

class ArrayTable {
 public:
  struct Entry {
    store::Key key;
    std::string uid;
    std::set<int64_t> live;    // indexes of elements that have not ended
    std::set<int64_t> over;    // that have ended or are gone, and were not looked at since
    bool placed = false;       // one of its elements has a node, or had one
    bool waits = true;         // the array is Pending
    int told = 0;              // how its elements were asked to end: 1 canceled, 2 also at once
    bool ends_as_one = false;  // of a gang: a member has ended, and all others were told to
    bool scan = true;          // elements may have ended while nobody watched
    // A short form of what callers have asked of the whole array. When it changes, the array is
    // looked at.
    std::string wish;
  };

  void clear();
  void put_array(const contracts::Run& run);
  void put_element(const contracts::Run& run);
  // A run of this name is gone: an array, an element, or neither.
  void drop(const store::Key& key);

  // By "<namespace>/<name>"; nullptr if it is over and stays.
  Entry* find(const std::string& path);
  // The arrays that have to be looked at. settle() says that one was.
  const std::set<std::string>& dirty() const { return dirty_; }
  void settle(const std::string& path) { dirty_.erase(path); }
  void mark(const std::string& path) { dirty_.insert(path); }

 private:
  void end_element(Entry& entry, int64_t index, const std::string& path);

  std::map<std::string, Entry> entries_;
  std::set<std::string> dirty_;
};

}  // namespace paddock::reconciler

// The step of a tick for arrays and gangs: counts the elements that have ended, makes the next
// ones, ends those of an array that is to end, and erases those of one that is deleted. An array is
// written once for everything that happened to it since the last tick. This is part of the tick's
// transaction, so an element that was made is also counted as made, whenever a process is killed.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "controller/reconciler/cluster_cache.h"
#include "controller/runs/array_transitions.h"

namespace paddock::reconciler {

class ArrayStep {
 public:
  // The number of elements of an array that may wait, before this step made any.
  struct Places {
    int64_t most = 0;
    bool has_own = false;  // one of these is the array's own by now
  };
  using Room = std::function<Places(const contracts::Run& array)>;
  // `makes`: not on a full disk. All outlive this.
  ArrayStep(store::WriteTxn& txn, ArrayTable& table, Room room, bool makes, WallTime now)
      : txn_(txn), table_(table), room_(std::move(room)), makes_(makes), now_(now) {}

  // All arrays that something happened to. What is left for want of time or room is marked again.
  Status run();
  // Whether some of it can go on at once.
  bool more() const { return more_; }

 private:
  using Entry = ArrayTable::Entry;
  Status advance(const std::string& path, Entry& entry);
  Status live_on(const std::string& path, Entry& entry, contracts::Run& array,
                 runs::Events& events);
  Status count(Entry& entry, contracts::Run& array);
  Result<std::optional<runs::ElementEnd>> end_of(Entry& entry, const contracts::Run& array,
                                                 int64_t index);
  Status advance_gang(Entry& entry, contracts::Run& gang, runs::Events& events);
  int64_t may_make(const contracts::Run& array, int64_t wanted, int64_t room) const;
  Status make(const std::string& path, Entry& entry, contracts::Run& array);
  Result<bool> make_one(const contracts::Run& array, int64_t index);
  Status end_elements(Entry& entry, const contracts::Run& array);
  Status explain(const Entry& entry, contracts::Run& array, runs::Events& events);
  Status erase_elements(const std::string& path, contracts::Run& array);
  Result<bool> erase_one(const contracts::Run& array, int64_t index);
  Result<std::optional<contracts::Run>> element(const contracts::Run& array, int64_t index);

  store::WriteTxn& txn_;
  ArrayTable& table_;
  const Room room_;
  const bool makes_;
  const WallTime now_;
  std::map<std::string, int64_t> taken_in_;  // places, by namespace
  int64_t writes_left_ = 1'000;              // of elements, so that writers behind do not wait long
  bool more_ = false;
};

}  // namespace paddock::reconciler

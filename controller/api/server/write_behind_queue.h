// Records of what is answered before they are on the disk, so that nobody waits for them: written
// in order, moments after the answer. A crash loses those that were not written yet. Any thread;
// starts none.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "common/base/guarded.h"
#include "common/contracts/audit.h"
#include "controller/store/store.h"

namespace paddock::api {

class WriteBehindQueue {
 public:
  // In one transaction with others, and again if that fails.
  using Write = std::function<Status(store::WriteTxn&)>;
  static Write audit(std::vector<contracts::AuditEvent> events);

  // Adds a record and returns its number. When the caller has done what is more urgent, it calls
  // wake() or settle(). If no thread serves, too many records wait, or the store fails, the caller
  // writes all of them here.
  Result<uint64_t> add(store::Store& store, Write write);
  // Wakes the thread in serve().
  void wake();
  // The store's error while it takes none: then nothing may begin that will leave a record.
  Status check(store::Store& store);
  // When this returns, records up to `number` are on the disk; the caller writes them if need be.
  Status settle(store::Store& store, uint64_t number = UINT64_MAX);
  // The same for a request that frees space: it also works on a full disk, where nothing new begins
  // (check()).
  Status settle_freeing(store::Store& store);
  // Writes records as they come until stop(), and then those that are left. Call it from one
  // thread.
  void serve(store::Store& store);
  void stop();

 private:
  struct State {
    std::vector<Write> waiting;
    uint64_t added = 0;
    uint64_t written = 0;
    bool serving = false;
    bool stopped = false;
    bool failing = false;
    bool asleep = false;  // who serves, until it is told
  };
  bool gather();
  enum class To { kStore, kReserve };
  Status flush(store::Store& store, uint64_t number = UINT64_MAX, To to = To::kStore);

  std::condition_variable changed_;
  Guarded<State> state_;
  std::mutex writing_;  // one batch after the other
};

}  // namespace paddock::api

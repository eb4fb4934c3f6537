// Records of what is answered before they are on the disk, so that nobody waits for it: written in
// order, within moments. A crash loses those that were not written yet. Any thread; starts none.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "common/base/guarded.h"
#include "common/contracts/audit.h"
#include "controller/store/store.h"

namespace paddock::api {

class AuditQueue {
 public:
  // While nobody serves, or when too many wait, or the store fails: the caller writes all of them.
  Status add(store::Store& store, std::vector<contracts::AuditEvent> events);
  // The store's error while it takes none: then nothing may begin that will leave a record.
  Status check(store::Store& store);
  // Writes what comes, until stop(); what is left by then, too. One thread.
  void serve(store::Store& store);
  void stop();

 private:
  struct State {
    std::vector<contracts::AuditEvent> waiting;
    bool serving = false;
    bool stopped = false;
    bool failing = false;
  };
  Status flush(store::Store& store);

  std::condition_variable changed_;
  Guarded<State> state_;
  std::mutex writing_;  // one batch after the other
};

}  // namespace paddock::api

// Counts the ended runs that are kept beyond the limit. Counting looks at each of them, so it is
// done only once there may be too many, and outside of the writer's transaction.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/store/store.h"

namespace paddock::reconciler {

class FinishedCount {
 public:
  // Before the transaction that prunes.
  Status look(store::Store& store, int64_t most);
  // To be called in that transaction: how many there are beyond `most`, at least.
  Result<int64_t> beyond(store::ReadTxn& txn, int64_t most) const;

 private:
  struct Counted {
    int64_t runs = 0;
    int64_t resource_version = 0;  // of the snapshot
  };
  std::optional<Counted> counted_;
};

}  // namespace paddock::reconciler

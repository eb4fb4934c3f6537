// How many runs that have ended are kept beyond what may be: counted anew only once there may be so
// many, and outside of the writer, for counting looks at each of them.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/store/store.h"

namespace paddock::reconciler {

class FinishedCount {
 public:
  // Before the transaction that prunes.
  Status look(store::Store& store, int64_t most);
  // In it: how many there are beyond `most`, at least.
  Result<int64_t> beyond(store::ReadTxn& txn, int64_t most) const;

 private:
  struct Counted {
    int64_t runs = 0;
    int64_t resource_version = 0;  // of the snapshot
  };
  std::optional<Counted> counted_;
};

}  // namespace paddock::reconciler

#include "controller/reconciler/finished_count.h"

#include <algorithm>

#include "common/contracts/run.h"

namespace paddock::reconciler {

// At most one run ends with each change, so the number of changes bounds how many ended since the
// last count.
Status FinishedCount::look(store::Store& store, int64_t most) {
  return store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const int64_t now, txn.resource_version());
    if (counted_ && counted_->runs + (now - counted_->resource_version) <= most) return {};
    ASSIGN_OR_RETURN(const int64_t runs, txn.finished_count());
    counted_ = {runs, now};
    return {};
  });
}

// Runs that were erased since the count may have been among the counted ones, so all of them are
// subtracted: the result may be too small, never too large.
Result<int64_t> FinishedCount::beyond(store::ReadTxn& txn, int64_t most) const {
  if (!counted_ || counted_->runs <= most) return 0;
  ASSIGN_OR_RETURN(const int64_t erased,
                   txn.erased_after(contracts::Run::kKind, counted_->resource_version));
  return std::max<int64_t>(0, counted_->runs - erased - most);
}

}  // namespace paddock::reconciler

// The interface of an engine to the one writer (group_commit.h): a connection for writing, its
// transactions, and what the engine's disk or leadership needs around them. Called by one thread at
// a time.
#pragma once

#include <optional>
#include <vector>

#include "common/base/result.h"
#include "controller/store/sql/connection.h"
#include "controller/store/store.h"

namespace paddock::store::sql {

class Writer {
 public:
  virtual ~Writer() = default;
  virtual Connection& connection() = 0;

  // Before begin(): what changes of this batch make, as far as their callers said so.
  virtual void will_make(const std::vector<NewObject>& /*objects*/) {}
  virtual Status begin() = 0;
  // STORE_OUTCOME_UNKNOWN: whether all of it was kept cannot be asked now; settle() says it later,
  // and nothing else is begun until then. Any other error: nothing was kept.
  virtual Status commit() = 0;
  virtual Result<bool> settle() { return false; }
  // Ends what is left of a transaction that was not committed.
  virtual void undo() = 0;
  virtual bool in_transaction() const = 0;
  // Around each change. A savepoint that cannot be kept must be undone.
  virtual Status savepoint() = 0;
  virtual Status keep_savepoint() = 0;
  virtual Status undo_savepoint() = 0;
  // Whether the transaction since the last begin() changed anything.
  virtual bool wrote() const = 0;

  // Nothing: the change frees nothing.
  using Purpose = std::optional<Frees>;
  // Before the batch; `asked`: some change in it frees nothing.
  virtual void look_at_disk(bool /*asked*/) {}
  // Whether changes of this purpose are refused until there is room.
  virtual bool puts_off(const Purpose& /*purpose*/) const { return false; }
  // Whether the batch, which failed so, may be tried once more in room that is kept for it.
  virtual bool may_succeed_in_reserve(const Status& /*failed*/) { return false; }
  virtual bool lacks_room() const { return false; }
  // After a commit that wrote; and when nobody waits.
  virtual void committed() {}
  virtual void rest() {}
};

}  // namespace paddock::store::sql

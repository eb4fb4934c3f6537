// The connection by which a controller that does not lead looks at the database now and then. It is
// made anew when it was lost. Not thread-safe.
#pragma once

#include <memory>
#include <utility>

#include "controller/store/postgres/connection.h"
#include "controller/store/postgres/leadership.h"
#include "controller/store/postgres/target.h"

namespace paddock::store::postgres {

class Looking {
 public:
  explicit Looking(Target target) : target_(std::move(target)) {}

  // A few rows are asked for at a time: a question that has no answer after five seconds fails, and
  // the next one has another connection. Good until the next call.
  Result<Connection*> connect() {
    if (db_ && !db_->lost() && !db_->ended_by_server()) return db_.get();
    db_.reset();
    ASSIGN_OR_RETURN(db_, Connection::open(target_, kLookingName));
    db_->give_up_after(kPatience);
    return db_.get();
  }

 private:
  static constexpr Millis kPatience{5'000};
  const Target target_;
  std::unique_ptr<Connection> db_;
};

}  // namespace paddock::store::postgres

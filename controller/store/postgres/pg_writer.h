// The writing half of a store in PostgreSQL: one connection, made anew when it is lost, and the
// lead that each transaction proves before it writes. Called by one thread at a time, but for what
// says otherwise.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "controller/store/postgres/connection.h"
#include "controller/store/postgres/leadership.h"
#include "controller/store/postgres/line.h"
#include "controller/store/sql/writer.h"

namespace paddock::store::postgres {

class PgWriter final : public sql::Writer {
 public:
  PgWriter(Target target, Leadership lead, const PostgresOptions& options);
  ~PgWriter() override;

  sql::Connection& connection() override { return *db_; }
  void will_make(const std::vector<NewObject>& objects) override;
  Status begin() override;
  Status commit() override;
  Result<bool> settle() override;
  void undo() override;
  bool in_transaction() const override { return begun_ && !db_->lost() && !db_->spoiled(); }
  Status savepoint() override;
  Status keep_savepoint() override;
  Status undo_savepoint() override;
  bool wrote() const override { return wrote_; }

  // STORE_FENCED, or NOT_LEADER when the lease ran out and nobody renewed it: another one may lead
  // by now. Any thread.
  Status leads() const;
  // The error for a lease that ran out.
  static Error unconfirmed();
  // Until the lease runs out unless it is renewed; less than nothing: since it ran out. Any thread.
  Millis lease_left() const;
  // Whether another controller follows, as the newest transaction found. Any thread.
  bool followed() const { return followed_.load(); }
  // Breaks the connection while somebody waits for its answer. Any thread.
  void hang_up() { line_.hang_up(); }
  const Target& target() const { return target_; }
  int64_t epoch() const { return lead_.epoch; }
  // Ends waiting for a database that is away. Any thread.
  void stop() { stopping_.store(true); }

 private:
  Status connect();
  Status prove_lead();
  Status send_commit();
  void confirm();
  Result<bool> settle_in_time();
  Error fenced();
  Error set_back();

  const Target target_;
  const PostgresOptions options_;
  Leadership lead_;  // with the number of the batch that was begun last
  std::unique_ptr<Connection> db_;
  Line line_;                           // of db_
  std::vector<NewObject> new_objects_;  // of the batch that is begun next
  Numbers saved_;                       // at the savepoint
  std::array<int64_t, 3> committed_{};  // the numbers that were given when a commit was confirmed
  int64_t changes_ = 0;
  int64_t begun_ms_ = 0;  // when the last transaction began, of this process's steady clock
  bool begun_ = false;
  bool wrote_ = false;
  std::atomic<bool> followed_{false};  // as this transaction began
  bool may_have_texts_ = true;
  std::atomic<bool> fenced_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<int64_t> valid_until_ms_;  // likewise
};

}  // namespace paddock::store::postgres

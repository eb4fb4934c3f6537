// The writing half of a SQLite store: its connection, and the reserve of disk beside the file.
#pragma once

#include <memory>

#include "controller/store/sql/writer.h"
#include "controller/store/sqlite/connection.h"
#include "controller/store/sqlite/disk_reserve.h"

namespace paddock::store::sqlite {

class SqliteWriter final : public sql::Writer {
 public:
  // Takes the reserve, if there is one; it outlives this.
  SqliteWriter(std::unique_ptr<Connection> db, DiskReserve* reserve);

  sql::Connection& connection() override { return *db_; }
  Status begin() override;
  Status commit() override { return db_->prepare("COMMIT").run(); }
  void undo() override;
  bool in_transaction() const override { return db_->in_transaction(); }
  Status savepoint() override { return db_->prepare("SAVEPOINT job").run(); }
  Status keep_savepoint() override { return db_->prepare("RELEASE job").run(); }
  Status undo_savepoint() override;
  bool wrote() const override { return db_->changes() != changes_; }

  void look_at_disk(bool asked) override;
  bool puts_off(const Purpose& purpose) const override;
  bool may_succeed_in_reserve(const Status& failed) override;
  bool lacks_room() const override { return reserve_ != nullptr && !reserve_->whole(); }
  void committed() override;
  void rest() override;

 private:
  std::unique_ptr<Connection> db_;
  DiskReserve* const reserve_;  // null: there is none
  int64_t changes_ = 0;         // when the transaction began
  bool refused_ = false;        // the last transaction, by the disk
};

}  // namespace paddock::store::sqlite

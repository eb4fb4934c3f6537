// One SQLite connection with our settings, and its statements. Not thread-safe: the user of a
// connection holds it alone. Errors of the library become ours in connection.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <sqlite3.h>

#include "common/base/result.h"
#include "controller/store/sql/connection.h"

namespace paddock::store::sqlite {

// A prepared statement. Belongs to its connection.
class PreparedStatement final : public sql::Cursor {
 public:
  PreparedStatement() = default;
  ~PreparedStatement() override;
  PreparedStatement(const PreparedStatement&) = delete;
  PreparedStatement& operator=(const PreparedStatement&) = delete;

  void prepare(sqlite3* db, const char* sql);
  void bind_integer(int64_t value) override;
  void bind_text(std::string_view value) override;
  void bind_blob(std::string_view value) override;
  void bind_null() override;
  Result<bool> step() override;
  Status run_soon() override;
  int64_t integer(int column) const override { return sqlite3_column_int64(prepared_, column); }
  bool is_null(int column) const override {
    return sqlite3_column_type(prepared_, column) == SQLITE_NULL;
  }
  std::string_view bytes(int column) const override;
  int64_t changed() const override { return sqlite3_changes64(db_); }
  void reset() override;

 private:
  sqlite3* db_ = nullptr;
  sqlite3_stmt* prepared_ = nullptr;
  int rc_ = SQLITE_OK;
  int next_ = 1;
};

using sql::Blob;
using sql::Statement;

class Connection final : public sql::Connection {
 public:
  enum class Mode { kWriter, kReader };
  // An empty path is a database in memory (writers only).
  static Result<std::unique_ptr<Connection>> open(const std::string& path, Mode mode);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Statement prepare(const char* sql) override;
  std::optional<int64_t> draw(sql::Series /*series*/) override { return std::nullopt; }
  int64_t drawn(sql::Series /*series*/) const override { return sqlite3_last_insert_rowid(db_); }
  Result<int64_t> last_given(sql::Series series) override;
  // Of the connection that writes, once it has written a record: nobody else does. Forgotten with
  // whatever is undone.
  std::optional<std::string> newest_link() const override;
  void put_newest_link(const std::string& link) override;
  void forget_newest_record() { newest_record_.reset(); }
  bool missed_a_row() const override {
    return sqlite3_extended_errcode(db_) == SQLITE_CONSTRAINT_FOREIGNKEY;
  }
  // Any number of statements without results.
  Status execute(const char* sql);
  Result<int64_t> pragma(const char* sql);
  // Rows changed since the connection was opened.
  int64_t changes() const { return sqlite3_total_changes64(db_); }
  bool in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }
  sqlite3* handle() const { return db_; }

 private:
  explicit Connection(sqlite3* db) : db_(db) {}

  struct AuditRecord {
    int64_t id = 0;
    std::string link;
  };

  sqlite3* db_;
  std::unordered_map<const char*, PreparedStatement> statements_;
  std::optional<AuditRecord> newest_record_;
};

// STORE_FULL, STORE_IO, STORE_BUSY, STORE_CORRUPT, STORE_CONSTRAINT or STORE_INTERNAL.
Error sqlite_error(sqlite3* db, int rc);

}  // namespace paddock::store::sqlite

// One SQLite connection with our settings, and its statements. Not thread-safe: whoever holds a
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

namespace paddock::store::sqlite {

// Text that is stored as bytes.
struct Blob {
  std::string_view bytes;
};

// A prepared statement, borrowed from its connection and reset when this goes away. A fault while
// preparing or binding is kept and returned by step().
class Statement {
 public:
  Statement(sqlite3* db, sqlite3_stmt* prepared, int rc) : db_(db), prepared_(prepared), rc_(rc) {}
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Binds the next parameter. Texts must outlive the statement.
  Statement& bind(int64_t value);
  Statement& bind(std::string_view value);
  Statement& bind(Blob value);
  Statement& bind(std::optional<int64_t> value);

  Result<bool> step();  // true: there is a row
  Status run();         // to the end, ignoring rows
  // The first column of the first row, or nothing.
  Result<std::optional<int64_t>> single_integer();

  int64_t integer(int column) const { return sqlite3_column_int64(prepared_, column); }
  bool is_null(int column) const { return sqlite3_column_type(prepared_, column) == SQLITE_NULL; }
  std::string text(int column) const;

 private:
  sqlite3* db_;
  sqlite3_stmt* prepared_;
  int rc_;
  int next_ = 1;
};

class Connection {
 public:
  enum class Mode { kWriter, kReader };
  // An empty path is a database in memory (writers only).
  static Result<std::unique_ptr<Connection>> open(const std::string& path, Mode mode);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `sql` must be a literal: the statement is kept under its address.
  Statement prepare(const char* sql);
  // Any number of statements without results.
  Status execute(const char* sql);
  Result<int64_t> pragma(const char* sql);
  int64_t last_insert_rowid() const { return sqlite3_last_insert_rowid(db_); }
  // Rows changed since the connection was opened.
  int64_t changes() const { return sqlite3_total_changes64(db_); }
  bool in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }
  sqlite3* handle() const { return db_; }

 private:
  explicit Connection(sqlite3* db) : db_(db) {}

  sqlite3* db_;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
};

// STORE_FULL, STORE_IO, STORE_BUSY, STORE_CORRUPT, STORE_CONSTRAINT or STORE_INTERNAL.
Error sqlite_error(sqlite3* db, int rc);

}  // namespace paddock::store::sqlite

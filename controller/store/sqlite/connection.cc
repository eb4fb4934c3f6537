#include "controller/store/sqlite/connection.h"

#include <utility>

#include "common/base/text.h"

namespace paddock::store::sqlite {

namespace {

// SQLite would count what it allocates, for which all its connections wait for one lock at each
// allocation. Nobody asks for the count. Refused once a connection is open, which then stays so.
void count_no_memory() {
  static const int refused = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(refused);
}

int hardened(sqlite3* db) {
  for (const int option :
       {SQLITE_DBCONFIG_DQS_DDL, SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_TRUSTED_SCHEMA,
        SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION}) {
    if (const int rc = sqlite3_db_config(db, option, 0, nullptr); rc != SQLITE_OK) return rc;
  }
  return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

// No mmap: a page that the disk cannot read would be a SIGBUS instead of an error.
constexpr const char* kWriterSettings =
    "PRAGMA foreign_keys=ON; PRAGMA busy_timeout=5000; PRAGMA temp_store=MEMORY;"
    "PRAGMA cache_size=-65536;";
constexpr const char* kReaderSettings =
    "PRAGMA query_only=ON; PRAGMA busy_timeout=5000; PRAGMA temp_store=MEMORY;"
    "PRAGMA cache_size=-8192;";

}  // namespace

Error sqlite_error(sqlite3* db, int rc) {
  const std::string details = cat("sqlite ", rc, ": ", db != nullptr ? sqlite3_errmsg(db) : "");
  auto make = [&](Code code, Reason reason, std::string message) {
    return Error{code, reason, std::move(message)}.within(details);
  };
  switch (rc & 0xff) {
    case SQLITE_FULL:
      return make(Code::kUnavailable, "STORE_FULL",
                  "the controller's disk is full; nothing of this change was kept, free some space "
                  "and send it again");
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return make(
          Code::kUnavailable, "STORE_IO",
          "the controller's disk refused to read or write; nothing of this change was kept");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return make(Code::kUnavailable, "STORE_BUSY", "the store is busy; send it again");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return make(Code::kInternal, "STORE_CORRUPT",
                  "the store's file is damaged; stop the controller and restore a backup");
    case SQLITE_CONSTRAINT:
      return make(Code::kInternal, "STORE_CONSTRAINT", "the change breaks a rule of the store");
    default:
      return make(Code::kInternal, "STORE_INTERNAL", "the store failed");
  }
}

PreparedStatement::~PreparedStatement() { sqlite3_finalize(prepared_); }

void PreparedStatement::prepare(sqlite3* db, const char* sql) {
  db_ = db;
  rc_ = SQLITE_OK;
  if (prepared_ == nullptr)
    rc_ = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &prepared_, nullptr);
}

void PreparedStatement::reset() {
  if (prepared_ == nullptr) return;
  sqlite3_reset(prepared_);
  sqlite3_clear_bindings(prepared_);
  next_ = 1;
}

void PreparedStatement::bind_integer(int64_t value) {
  if (rc_ == SQLITE_OK) rc_ = sqlite3_bind_int64(prepared_, next_++, value);
}

void PreparedStatement::bind_text(std::string_view value) {
  const char* data = value.data() != nullptr ? value.data() : "";
  if (rc_ == SQLITE_OK) {
    rc_ = sqlite3_bind_text64(prepared_, next_++, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
}

void PreparedStatement::bind_blob(std::string_view value) {
  const char* data = value.data() != nullptr ? value.data() : "";
  if (rc_ == SQLITE_OK) {
    rc_ = sqlite3_bind_blob64(prepared_, next_++, data, value.size(), SQLITE_STATIC);
  }
}

void PreparedStatement::bind_null() {
  if (rc_ == SQLITE_OK) rc_ = sqlite3_bind_null(prepared_, next_++);
}

Result<bool> PreparedStatement::step() {
  if (rc_ != SQLITE_OK) return sqlite_error(db_, rc_);
  const int rc = sqlite3_step(prepared_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return sqlite_error(db_, rc);
}

// Runs at once: SQLite is in this process, so there is nothing to gain by waiting.
Status PreparedStatement::run_soon() {
  while (true) {
    ASSIGN_OR_RETURN(const bool row, step());
    if (!row) return {};
  }
}

std::string_view PreparedStatement::bytes(int column) const {
  const void* data = sqlite3_column_blob(prepared_, column);
  const int size = sqlite3_column_bytes(prepared_, column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const char*>(data), static_cast<size_t>(size)};
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, Mode mode) {
  count_no_memory();
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |=
      mode == Mode::kReader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* db = nullptr;
  int rc = sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &db, flags, nullptr);
  if (rc == SQLITE_OK) rc = hardened(db);
  if (rc != SQLITE_OK) {
    Error error = sqlite_error(db, rc);
    sqlite3_close(db);
    return error;
  }
  std::unique_ptr<Connection> connection(new Connection(db));
  TRY(connection->execute(mode == Mode::kReader ? kReaderSettings : kWriterSettings));
  return connection;
}

Connection::~Connection() {
  statements_.clear();
  sqlite3_close(db_);
}

Statement Connection::prepare(const char* sql) {
  PreparedStatement& kept = statements_[sql];
  kept.prepare(db_, sql);
  return Statement(kept);
}

std::optional<std::string> Connection::newest_link() const {
  return newest_record_ ? std::optional(newest_record_->link) : std::nullopt;
}

// The record is the row that was inserted last.
void Connection::put_newest_link(const std::string& link) {
  newest_record_ = {sqlite3_last_insert_rowid(db_), link};
}

Result<int64_t> Connection::last_given(sql::Series series) {
  using sql::Series;
  if (series == Series::kAudit && newest_record_) return newest_record_->id;
  const std::string_view table = series == Series::kChanges   ? "changes"
                                 : series == Series::kObjects ? "objects"
                                                              : "audit";
  Statement row = prepare("SELECT max(seq) FROM sqlite_sequence WHERE name = ?");
  ASSIGN_OR_RETURN(const std::optional<int64_t> given, row.bind(table).single_integer());
  return given.value_or(0);
}

Status Connection::execute(const char* sql) {
  const int rc = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return sqlite_error(db_, rc);
  return {};
}

Result<int64_t> Connection::pragma(const char* sql) {
  Statement statement = prepare(sql);
  ASSIGN_OR_RETURN(const std::optional<int64_t> value, statement.single_integer());
  return value.value_or(0);
}

}  // namespace paddock::store::sqlite

// Files that programs of an earlier time left: of every schema that there was, brought up to date
// with all that is in them.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include "controller/store/sqlite/migrations.h"
#include "controller/store/store_test_support.h"

namespace paddock::store {
namespace {

using testing::IsEmpty;
using testing::Not;

// The first schema, as its files hold it: the step that makes it must go on making this.
constexpr const char* kSchema1 = R"sql(
CREATE TABLE changes (resource_version INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL,
  namespace TEXT NOT NULL, name TEXT NOT NULL,
  op TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete'))) STRICT;
CREATE TABLE objects (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL,
  namespace TEXT NOT NULL, name TEXT NOT NULL, uid TEXT NOT NULL UNIQUE CHECK (uid <> ''),
  resource_version INTEGER NOT NULL, active INTEGER NOT NULL, node TEXT NOT NULL,
  data TEXT NOT NULL, UNIQUE (kind, namespace, name)) STRICT;
CREATE INDEX objects_active ON objects (kind, node, id) WHERE active = 1;
CREATE TABLE run_events (run_uid TEXT NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  id INTEGER NOT NULL, time_ms INTEGER NOT NULL, type TEXT NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (run_uid, id)) STRICT;
CREATE TABLE run_output (run_uid TEXT NOT NULL REFERENCES objects (uid) ON DELETE CASCADE,
  attempt INTEGER NOT NULL, last_seq INTEGER NOT NULL, PRIMARY KEY (run_uid, attempt)) STRICT;
CREATE TABLE tokens (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, subject TEXT NOT NULL,
  scopes TEXT NOT NULL, namespace TEXT NOT NULL, expires_ms INTEGER,
  revoked INTEGER NOT NULL) STRICT;
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE idempotent_creates (scope TEXT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL,
  request_digest TEXT NOT NULL, PRIMARY KEY (scope, key)) STRICT;
PRAGMA application_id = 1348559979;
PRAGMA user_version = 1;
)sql";

// What every schema has had room for.
constexpr const char* kContent = R"sql(
INSERT INTO changes (kind, namespace, name, op) VALUES ('Run', 'default', 'ended', 'create');
INSERT INTO changes (kind, namespace, name, op) VALUES ('Run', 'default', 'waits', 'create');
INSERT INTO objects (kind, namespace, name, uid, resource_version, active, node, data) VALUES
  ('Run', 'default', 'ended', 'u1', 1, 0, 'n',
   '{"metadata":{"name":"ended","namespace":"default","uid":"u1","resourceVersion":"1"},'
   || '"spec":{"type":"compute","command":["true"]},'
   || '"status":{"phase":"Succeeded","finishedAt":"2026-01-02T03:04:05.678Z"}}'),
  ('Run', 'default', 'waits', 'u2', 2, 1, '',
   '{"metadata":{"name":"waits","namespace":"default","uid":"u2","resourceVersion":"2"},'
   || '"spec":{"type":"compute","command":["true"]},"status":{"phase":"Pending"}}');
INSERT INTO run_events (run_uid, id, time_ms, type, data) VALUES ('u1', 1, 4, 'phase', x'7b7d'),
  ('u1', 2, 5, 'end', x'7b7d');
INSERT INTO run_output (run_uid, attempt, last_seq) VALUES ('u1', 1, 7);
INSERT INTO tokens VALUES ('t1', 'hash', 'admin', '*', '', NULL, 0);
INSERT INTO settings VALUES ('color', 'green');
INSERT INTO idempotent_creates VALUES
  ('t /apis/paddock.dev/v1alpha1/namespaces/default/runs', 'key', 'ended', 'digest');
)sql";

class Database {
 public:
  explicit Database(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK);
  }
  ~Database() { sqlite3_close(db_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const char* sql) {
    EXPECT_EQ(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
  }
  // The first column of each row.
  std::vector<std::string> rows(const char* sql) {
    std::vector<std::string> out;
    const auto take = [](void* to, int, char** columns, char**) {
      static_cast<std::vector<std::string>*>(to)->emplace_back(columns[0]);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(db_, sql, take, &out, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
    return out;
  }

  sqlite3* get() { return db_; }

 private:
  sqlite3* db_ = nullptr;
};

void make_schema(const std::string& path, int64_t version) {
  const auto db = sqlite::Connection::open(path, sqlite::Connection::Mode::kWriter);
  ASSERT_TRUE(db.ok()) << db.error().describe();
  const Status made = sqlite::migrate(**db, version);
  ASSERT_TRUE(made.ok()) << made.error().describe();
}

// Columns of tables and of indexes: how their text is laid out does not matter.
std::vector<std::string> shape(const std::string& path) {
  return Database(path).rows(R"sql(
SELECT m.name || '.' || p.name || ' ' || p.type || ' ' || p."notnull" || p.pk
FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table'
UNION ALL
SELECT m.name || ' on ' || m.tbl_name || '.' || ifnull(p.name, '?') || ' ' || p.seqno
FROM sqlite_schema m, pragma_index_info(m.name) p WHERE m.type = 'index'
ORDER BY 1)sql");
}

void expect_all_of_it(Store& store) {
  const std::string runs = "t /apis/paddock.dev/v1alpha1/namespaces/default/runs";
  const Status read = store.write([&](WriteTxn& txn) -> Status {
    EXPECT_EQ(txn.finished_count().value(), 1);
    const auto oldest = txn.oldest_finished(INT64_MAX, 1).value();
    EXPECT_EQ(oldest.at(0).key.name, "ended");
    EXPECT_EQ(oldest.at(0).finished_ms, parse_time("2026-01-02T03:04:05.678Z")->ms);
    EXPECT_EQ(txn.run_events("u1", 0, 0).value().size(), 2u);
    EXPECT_EQ(txn.phase_records({}).value().size(), 1u);
    EXPECT_EQ(txn.output_acked("u1", 1).value(), 7);
    EXPECT_EQ(txn.active_runs().value().size(), 1u);
    EXPECT_EQ(txn.resource_version().value(), 2);
    EXPECT_EQ(txn.token_by_hash("hash").value()->subject, "admin");
    EXPECT_EQ(txn.setting("color").value(), "green");
    EXPECT_EQ(txn.idempotent_creates(runs, "key").value().size(), 1u);
    TRY(txn.erase<contracts::Run>({"default", "ended"}));
    EXPECT_TRUE(txn.idempotent_creates(runs, "key").value().empty());
    return {};
  });
  EXPECT_TRUE(read.ok()) << read.error().describe();
}

class StoreMigration : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(FromSchema, StoreMigration,
                         testing::Range(int64_t{1}, sqlite::schema_version() + 1));

TEST_P(StoreMigration, BringsAFileUpToDateWithAllThatIsInIt) {
  const TempFolder folder;
  make_schema(folder.file(), GetParam());
  Database(folder.file()).execute(kContent);
  if (GetParam() > 1) {  // which a step filled in for older files
    Database(folder.file())
        .execute("UPDATE objects SET finished_ms = 1767323045678 WHERE uid = 'u1'");
  }
  {
    const auto store = Store::open({folder.file()});
    ASSERT_TRUE(store.ok()) << store.error().describe();
    expect_all_of_it(**store);
  }
  const TempFolder fresh;
  ASSERT_TRUE(Store::open({fresh.file()}).ok());
  EXPECT_THAT(shape(fresh.file()), Not(IsEmpty()));
  EXPECT_EQ(shape(folder.file()), shape(fresh.file()));
}

// The last of them is forgotten: its number is not given again.
TEST(StoreMigration13, TheNumbersOfChangesStayGivenAndTheirWordsStayChecked) {
  constexpr const char* kChange = "INSERT INTO changes (kind, namespace, name, op) VALUES ";
  const TempFolder folder;
  make_schema(folder.file(), 13);
  Database before(folder.file());
  for (const char* name : {"'a'", "'b'"})
    before.execute(cat(kChange, "('Run', 'default', ", name, ", 'create')").c_str());
  before.execute("DELETE FROM changes WHERE resource_version = 2");
  make_schema(folder.file(), 14);
  Database after(folder.file());
  after.execute(cat(kChange, "('Run', 'default', 'c', 'update')").c_str());
  EXPECT_THAT(after.rows("SELECT resource_version || name FROM changes"),
              testing::ElementsAre("1a", "3c"));
  EXPECT_NE(sqlite3_exec(after.get(), cat(kChange, "('Run', 'default', 'd', 'x')").c_str(), nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
}

TEST(StoreMigration1, TheFirstStepMakesWhatTheFirstProgramMade) {
  const TempFolder released;
  Database(released.file()).execute(kSchema1);
  const TempFolder made;
  make_schema(made.file(), 1);
  EXPECT_EQ(shape(made.file()), shape(released.file()));
  Database(released.file()).execute(kContent);
  const auto store = Store::open({released.file()});
  ASSERT_TRUE(store.ok()) << store.error().describe();
  expect_all_of_it(**store);
}

}  // namespace
}  // namespace paddock::store

// The history of changes, what ended first, what is forgotten with a run, and files of an older
// schema.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "controller/store/store_test_support.h"

namespace paddock::store {
namespace {

class StoreHistory : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, StoreHistory, testing::Bool());

std::vector<std::string> changed_after(Store& store, int64_t version) {
  std::vector<std::string> names;
  EXPECT_TRUE(store
                  .read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto changes, txn.changes_after(version));
                    if (!changes) names = {"gone"};
                    if (changes) {
                      for (const auto& each : *changes) names.push_back(each.key.name);
                    }
                    return {};
                  })
                  .ok());
  return names;
}

TEST_P(StoreHistory, TellsWhatChangedSinceAVersionAndWhenItDoesNotKnow) {
  contracts::Run a = make_run("a");
  contracts::Run b = make_run("b");
  ASSERT_TRUE(create(a).ok());
  ASSERT_TRUE(create(b).ok());
  a.spec.priority = 1;
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return txn.update(a); }).ok());
  ASSERT_TRUE(
      store_->write([&](WriteTxn& txn) {
              return txn.erase<contracts::Run>({"default", "b"});
            })
          .ok());
  using Names = std::vector<std::string>;
  EXPECT_EQ(changed_after(*store_, 0), (Names{"a", "b", "a", "b"}));
  EXPECT_EQ(changed_after(*store_, 2), (Names{"a", "b"}));
  EXPECT_EQ(changed_after(*store_, 4), Names{});
  EXPECT_EQ(changed_after(*store_, 5), Names{"gone"}) << "a version that was never given out";
}

TEST_P(StoreHistory, KnowsTheRunsThatEndedFirst) {
  for (const auto& [name, ended] :
       std::map<std::string, int64_t>{{"a", 30}, {"b", 10}, {"c", 20}}) {
    contracts::Run run = make_run(name);
    run.status.phase = contracts::RunPhase::kSucceeded;
    run.status.finished_at = wire::Timestamp{{ended}};
    ASSERT_TRUE(create(run).ok());
  }
  contracts::Run active = make_run("active");
  ASSERT_TRUE(create(active).ok());
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    EXPECT_EQ(txn.finished_count().value(), 3);
                    const auto oldest = txn.oldest_finished(2).value();
                    EXPECT_EQ(oldest.size(), 2u);
                    EXPECT_EQ(oldest.at(0).key.name, "b");
                    EXPECT_EQ(oldest.at(1).finished_ms, 20);
                    return {};
                  })
                  .ok());
}

TEST_P(StoreHistory, ForgetsAnIdempotencyKeyWithTheRunThatItMade) {
  contracts::Run run = make_run("a");
  ASSERT_TRUE(create(run).ok());
  const std::string here = "t /apis/paddock.dev/v1alpha1/namespaces/default/runs";
  const std::string there = "t /apis/paddock.dev/v1alpha1/namespaces/other/runs";
  ASSERT_TRUE(store_
                  ->write([&](WriteTxn& txn) -> Status {
                    TRY(txn.put_idempotent_create(here, "key", 0, {"a", "digest"}));
                    TRY(txn.put_idempotent_create(there, "key", 0, {"a", "digest"}));
                    TRY(txn.erase<contracts::Run>({"default", "a"}));
                    EXPECT_TRUE(txn.idempotent_creates(here, "key").value().empty());
                    EXPECT_FALSE(txn.idempotent_creates(there, "key").value().empty());
                    return txn.put_idempotent_create(here, "key", 0, {"a", "digest"});
                  })
                  .ok());
}

// The first schema that was released, as its files hold it.
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
INSERT INTO run_events (run_uid, id, time_ms, type, data) VALUES ('u1', 1, 5, 'end', x'7b7d');
PRAGMA application_id = 1348559979;
PRAGMA user_version = 1;
)sql";

TEST(StoreMigration, AFileOfTheFirstSchemaIsBroughtUpToDateWithAllThatIsInIt) {
  TempFolder folder;
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(folder.file().c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, kSchema1, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
  const auto store = Store::open({folder.file()});
  ASSERT_TRUE(store.ok()) << store.error().describe();
  ASSERT_TRUE((*store)
                  ->write([](WriteTxn& txn) -> Status {
                    EXPECT_EQ(txn.finished_count().value(), 1);
                    const auto oldest = txn.oldest_finished(1).value();
                    EXPECT_EQ(oldest.at(0).key.name, "ended");
                    EXPECT_EQ(oldest.at(0).finished_ms, parse_time("2026-01-02T03:04:05.678Z")->ms);
                    EXPECT_EQ(txn.run_events("u1", 0, 0).value().size(), 1u);
                    EXPECT_EQ(txn.active_runs().value().size(), 1u);
                    EXPECT_EQ(txn.resource_version().value(), 2);
                    return txn.erase<contracts::Run>({"default", "ended"});
                  })
                  .ok());
}

}  // namespace
}  // namespace paddock::store

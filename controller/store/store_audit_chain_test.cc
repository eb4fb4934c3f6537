// The audit log's chain in the store: written with each record, kept through pruning, restores and
// migrations, and broken by whoever else writes to the file.
#include <thread>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "common/audit_chain/chain.h"
#include "controller/store/backup.h"
#include "controller/store/engine_test_support.h"
#include "controller/store/sqlite/migrations.h"

namespace paddock::store {
namespace {

using contracts::AuditEvent;

Status add_audit(WriteTxn& txn, int64_t time_ms) {
  AuditEvent event;
  event.type = "object.create";
  event.subject = "admin";
  event.name_space = "a";
  event.time = {WallTime{time_ms}};
  event.details["text"] = "a\"b\\c\n\xF0\x9F\x90\xB4";
  return txn.append_audit(event);
}

void add_audits(Store& store, int count) {
  for (int i = 1; i <= count; ++i)
    ASSERT_TRUE(store.write([&](WriteTxn& txn) { return add_audit(txn, i * 1000); }).ok());
}

void prune(Store& store, int64_t before_ms) {
  ASSERT_TRUE(store
                  .write([&](WriteTxn& txn) -> Status {
                    return txn.prune_audit(before_ms, 100, 100).ok() ? Status() : Error{};
                  })
                  .ok());
}

void execute(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  sqlite3_close(db);
}

class StoreAuditChain : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, StoreAuditChain, all_engines(), engine_name);

TEST_P(StoreAuditChain, HoldsFromTheFirstRecord) {
  EXPECT_EQ(chain_of(*store_), "0 records to 0");
  add_audits(*store_, 5);
  EXPECT_EQ(chain_of(*store_), "5 records to 5");
}

TEST_P(StoreAuditChain, IsServedInPages) {
  add_audits(*store_, 5);
  ASSERT_TRUE(store_
                  ->read([](ReadTxn& txn) -> Status {
                    const auto page = txn.audit_chain(2, 2).value();
                    EXPECT_EQ(page.items.at(0).id, 3);
                    EXPECT_EQ(page.items.at(1).id, 4);
                    EXPECT_EQ(page.items.size(), 2u);
                    EXPECT_EQ(page.last_given, 5);
                    EXPECT_TRUE(txn.audit_chain(5, 2).value().items.empty());
                    EXPECT_EQ(txn.audit_head().value().id, 5);
                    return {};
                  })
                  .ok());
}

TEST_P(StoreAuditChain, OutlivesPruningToTheLastRecord) {
  add_audits(*store_, 6);
  prune(*store_, 3000);
  EXPECT_EQ(chain_of(*store_), "4 records to 6");
  prune(*store_, 9000);
  EXPECT_EQ(chain_of(*store_), "1 records to 6") << "the newest tells when somebody was here";
  add_audits(*store_, 2);
  EXPECT_EQ(chain_of(*store_), "3 records to 8");
}

// A clock that went back leaves a record that is older than the one before it.
TEST_P(StoreAuditChain, PruningLeavesNoHole) {
  ASSERT_TRUE(store_
                  ->write([](WriteTxn& txn) -> Status {
                    for (const int64_t time_ms : {1000, 5000, 2000, 6000})
                      TRY(add_audit(txn, time_ms));
                    EXPECT_EQ(txn.prune_audit(3000, 100, 100).value(), 1);
                    return {};
                  })
                  .ok());
  EXPECT_EQ(chain_of(*store_), "3 records to 4");
}

TEST_P(StoreAuditChain, IsNotTouchedByWhatWasUndone) {
  add_audits(*store_, 2);
  EXPECT_FALSE(store_
                   ->write([](WriteTxn& txn) -> Status {
                     TRY(add_audit(txn, 1));
                     return Error{Code::kInternal, "PRECONDITION_FAILED", "on purpose"};
                   })
                   .ok());
  add_audits(*store_, 1);
  EXPECT_EQ(chain_of(*store_), "3 records to 3");
}

// Numbers are given out in the order of commits, whoever leads a batch.
TEST_P(StoreAuditChain, HoldsWithManyWriters) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) writers.emplace_back([&] { add_audits(*store_, 20); });
  for (std::thread& each : writers) each.join();
  EXPECT_EQ(chain_of(*store_), "160 records to 160");
}

struct DamagedFile {
  const char* what;
  const char* sql;
  const char* said;
};
class StoreAuditDamage : public testing::TestWithParam<DamagedFile> {};

TEST_P(StoreAuditDamage, IsFoundAndTheLogGoesOn) {
  const TempFolder folder;
  {
    const auto store = must_open(folder.file());
    add_audits(*store, 6);
    prune(*store, 3000);
  }
  execute(folder.file(), GetParam().sql);
  const auto store = must_open(folder.file());
  EXPECT_EQ(chain_of(*store), GetParam().said);
  add_audits(*store, 2);
  EXPECT_NE(chain_of(*store).find("AUDIT_"), std::string::npos) << "later records hide nothing";
}

const DamagedFile kDamagedFiles[] = {
    {"a byte", "UPDATE audit SET data = replace(data, 'admin', 'admix') WHERE id = 4",
     "AUDIT_RECORD_CHANGED 4"},
    {"no JSON", "UPDATE audit SET data = x'ff00' || data WHERE id = 4", "AUDIT_RECORD_CHANGED 4"},
    {"a number",
     "UPDATE audit SET id = 90 WHERE id = 5; UPDATE audit SET id = 5 WHERE id = 4;"
     "UPDATE audit SET id = 4 WHERE id = 90",
     "AUDIT_RECORD_CHANGED 4"},
    {"gone", "DELETE FROM audit WHERE id = 4", "AUDIT_RECORD_MISSING 4"},
    {"the end", "DELETE FROM audit WHERE id >= 5", "AUDIT_END_MISSING 5"},
    {"all", "DELETE FROM audit", "AUDIT_END_MISSING 3"},
    {"put in",
     "INSERT INTO audit (time_ms, type, subject, namespace, session, data) "
     "SELECT time_ms, type, subject, namespace, session, data FROM audit WHERE id = 4",
     "AUDIT_RECORD_CHANGED 7"},
    {"a column", "UPDATE audit SET subject = 'nobody' WHERE id = 5", "AUDIT_RECORD_MISFILED 5"},
    {"its time", "UPDATE audit SET time_ms = 1 WHERE id = 5", "AUDIT_RECORD_MISFILED 5"},
    {"the anchor", "UPDATE settings SET value = '2 0' WHERE key = 'audit-anchor'",
     "AUDIT_ANCHOR_WRONG 3"},
    {"no anchor", "DELETE FROM settings WHERE key = 'audit-anchor'", "AUDIT_RECORD_MISSING 1"},
    {"nonsense", "UPDATE settings SET value = 'x' WHERE key = 'audit-anchor'",
     "AUDIT_ANCHOR_WRONG 0"},
    {"the oldest", "DELETE FROM audit WHERE id = 3", "AUDIT_RECORD_MISSING 3"},
};
INSTANTIATE_TEST_SUITE_P(Each, StoreAuditDamage, testing::ValuesIn(kDamagedFiles));

// A log has no gaps. In one that was damaged the numbers count, so whoever prunes need not read the
// half million records that stay.
TEST(StoreAuditDamaged, IsShortenedByTheNumbersOfItsRecords) {
  const TempFolder folder;
  const auto store = must_open(folder.file());
  add_audits(*store, 8);
  execute(folder.file(), "DELETE FROM audit WHERE id BETWEEN 3 AND 5");
  ASSERT_TRUE(store
                  ->write([](WriteTxn& txn) -> Status {
                    EXPECT_EQ(txn.prune_audit(0, 4, 100).value(), 2) << "1 and 2, of 8";
                    EXPECT_EQ(txn.prune_audit(0, 4, 100).value(), 0);
                    return {};
                  })
                  .ok());
}

TEST(StoreAuditRestore, GoesOnBehindTheBackup) {
  const TempFolder folder;
  auto store = must_open(folder.file());
  add_audits(*store, 3);
  ASSERT_TRUE(back_up(folder.file(), folder.file("backup")).ok());
  add_audits(*store, 3);
  store.reset();
  ASSERT_TRUE(restore(folder.file("backup"), folder.file(), WallTime{1}).ok());
  store = must_open(folder.file());
  EXPECT_EQ(chain_of(*store), "3 records to 3");
  add_audits(*store, 2);
  EXPECT_EQ(chain_of(*store), cat("5 records to ", 3 + audit_chain::kRestoreGap + 2));
}

// What was written before there was a chain is linked by the upgrade, and from then on as safe.
TEST(StoreAuditMigration, LinksWhatIsThere) {
  constexpr int64_t kBefore = 12;
  const TempFolder folder;
  {
    const auto db = sqlite::Connection::open(folder.file(), sqlite::Connection::Mode::kWriter);
    ASSERT_TRUE(sqlite::migrate(**db, kBefore).ok());
  }
  execute(folder.file(),
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) "
          "INSERT INTO audit (time_ms, type, subject, namespace, session, data) SELECT 1000, 'x', "
          "'', '', '', '{\"id\":0,\"time\":\"1970-01-01T00:00:01.000Z\",\"type\":\"x\"}' FROM n;"
          "DELETE FROM audit WHERE id <= 100");
  auto store = must_open(folder.file());
  EXPECT_EQ(chain_of(*store), "2400 records to 2500");
  add_audits(*store, 1);
  EXPECT_EQ(chain_of(*store), "2401 records to 2501");
  store.reset();
  execute(folder.file(), "UPDATE audit SET data = replace(data, 'x', 'y') WHERE id = 700");
  EXPECT_EQ(chain_of(*must_open(folder.file())), "AUDIT_RECORD_CHANGED 700");
}

TEST(StoreAuditMigration, GoesOnWhereAllWasForgotten) {
  constexpr int64_t kBefore = 12;
  const TempFolder folder;
  {
    const auto db = sqlite::Connection::open(folder.file(), sqlite::Connection::Mode::kWriter);
    ASSERT_TRUE(sqlite::migrate(**db, kBefore).ok());
  }
  execute(folder.file(),
          "INSERT INTO audit VALUES (70, 1, 'x', '', '', '', '{}'); DELETE FROM audit");
  const auto store = must_open(folder.file());
  EXPECT_EQ(chain_of(*store), "0 records to 70");
  add_audits(*store, 1);
  EXPECT_EQ(chain_of(*store), "1 records to 71");
}

}  // namespace
}  // namespace paddock::store

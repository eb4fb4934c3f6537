// A store that is moved is the same store: all rows, the numbers that were given, the audit log's
// chain. Cut off anywhere, it is in one place or the other, and the same command ends it.
#include "controller/store/move_store.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "controller/store/lead_watch.h"
#include "controller/store/move/database_side.h"
#include "controller/store/move/marker.h"
#include "controller/store/move/tables.h"
#include "controller/store/postgres/postgres_fixture_test_support.h"
#include "controller/store/postgres/schema.h"
#include "controller/store/sqlite/connection.h"
#include "controller/store/sqlite/migrations.h"

namespace paddock::store {
namespace {

constexpr WallTime kMovedAt{1'700'000'000'000};

// A row of each table, and of some as many as make several pages.
Status fill_tables(WriteTxn& txn, int runs) {
  for (int i = 0; i < runs; ++i) {
    contracts::Run run = make_run(cat("run-", i, "-\xc3\xa9"));
    TRY(txn.create(run));
    for (int j = 0; j < 3; ++j) {
      contracts::RunEvent event;
      TRY(txn.append_event(run.metadata.uid, event));
    }
    contracts::AuditEvent told;
    told.type = "test.write";
    TRY(txn.append_audit(told));
    TRY(txn.put_idempotent_create("s", cat("key-", i), 0, {run.metadata.name, "digest"}));
  }
  const std::string uid = make_run("run-0-\xc3\xa9").metadata.uid;
  contracts::RunInput input;
  TRY(txn.put_output_acked(uid, 1, 7));
  TRY(txn.put_open_line(uid, 1, std::string("no \0 end", 8)));
  TRY(txn.append_input(uid, 1, "tool", input));
  TRY(txn.put_tool_bundle(uid, "{}"));
  TRY(txn.put_sent_blob(uid, "sha"));
  TRY(txn.put_session_due(uid, 99));
  TRY(txn.put_tool_secret({uid, "hash", uid, 5}));
  TRY(txn.put_sealed_value(uid, {"name", "key", std::string("\0\xff", 2)}));
  TRY(txn.put_token({"a", "1", "x", {"runs:read"}, "", std::nullopt, false}));
  TRY(txn.put_token({"b", "2", "x", {}, "", 200, true}));
  TRY(txn.put_setting("empty", ""));
  contracts::Run gone = make_run("gone");
  TRY(txn.create(gone));
  return txn.erase<contracts::Run>({"default", "gone"});
}

class MoveStore : public postgres::PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (!IsSkipped()) fill_new(150);
  }
  void fill_new(int runs) {
    const auto store = must_open(places().file);
    ASSERT_TRUE(store->write([&](WriteTxn& txn) { return fill_tables(txn, runs); }).ok());
    chain_ = chain_of(*store);
  }
  MovePlaces places() { return {folder_->file("paddock.db"), *options("mover").postgres}; }
  Result<Moved> move(MoveTo to) { return move_store(to, places(), kMovedAt, random_); }
  std::string moving(MoveTo to) {
    const auto moved = move(to);
    return moved.ok() ? "moved" : moved.error().reason.str();
  }
  static int64_t last_number(Store& store) {
    int64_t last = 0;
    const Status read = store.read([&](ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(last, txn.resource_version());
      return {};
    });
    EXPECT_TRUE(read.ok());
    return last;
  }
  static int64_t create_next(Store& store, const std::string& name) {
    contracts::Run run = make_run(name);
    EXPECT_TRUE(store.write([&](WriteTxn& txn) { return txn.create(run); }).ok());
    return parse_integer<int64_t>(run.metadata.resource_version).value_or(0);
  }
  static std::string changed_after(Store& store, int64_t number) {
    std::string out;
    const Status read = store.read([&](ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(const auto changes, txn.changes_after(number));
      if (!changes) return Error{};
      for (const ReadTxn::Change& each : *changes) out += cat(each.key.name, " ");
      return {};
    });
    EXPECT_TRUE(read.ok());
    return out;
  }
  bool exists(const std::string& name) { return std::filesystem::exists(folder_->file(name)); }
  std::set<std::string> files() {
    std::set<std::string> out;
    for (const auto& each : std::filesystem::directory_iterator(
             std::filesystem::path(folder_->file("x")).parent_path())) {
      if (each.path().extension() != ".lock") out.insert(each.path().filename());
    }
    return out;
  }

  std::unique_ptr<TempFolder> folder_ = std::make_unique<TempFolder>();
  SeededRandom random_{1};
  std::string chain_;
};

TEST_F(MoveStore, ThereAndBackIsTheSame) {
  const auto there = move(MoveTo::kPostgres);
  ASSERT_TRUE(there.ok()) << there.error().describe();
  EXPECT_EQ(there->tables.size(), move::tables().size());
  for (const MovedTable& each : there->tables) EXPECT_GT(each.rows, 0) << each.name;
  const std::string kept = cat("paddock.db.moved-", kMovedAt.ms);
  EXPECT_EQ(files(), (std::set<std::string>{kept}));
  const auto back = move(MoveTo::kSqlite);
  ASSERT_TRUE(back.ok()) << back.error().describe();
  EXPECT_EQ(back->tables, there->tables);
  EXPECT_EQ(files(), (std::set<std::string>{kept, "paddock.db"}));
  const auto store = must_open(places().file);
  EXPECT_EQ(chain_of(*store), chain_);
}

TEST_F(MoveStore, NumbersGoOnBehindTheMove) {
  const int64_t last = last_number(*must_open(places().file));
  ASSERT_EQ(moving(MoveTo::kPostgres), "moved");
  {
    const auto store = Store::open(options("mover")).value();
    EXPECT_EQ(last_number(*store), last);
    EXPECT_EQ(create_next(*store, "next-1"), last + 1);
    EXPECT_EQ(changed_after(*store, last - 2), "gone gone next-1 ") << "as a watch goes on";
  }
  ASSERT_EQ(moving(MoveTo::kSqlite), "moved");
  const auto store = must_open(places().file);
  EXPECT_EQ(create_next(*store, "next-2"), last + 2);
  EXPECT_EQ(changed_after(*store, last), "next-1 next-2 ");
}

TEST_F(MoveStore, TablesAndColumnsAreAllThatBothEnginesHave) {
  ASSERT_EQ(moving(MoveTo::kPostgres), "moved");
  std::string listed;
  std::map<std::string, std::set<std::string>> sorted;
  for (const move::Table& table : move::tables()) {
    for (const move::Column& column : table.columns) sorted[table.name].insert(column.name);
  }
  for (const auto& [table, columns] : sorted) {
    for (const std::string& column : columns) listed += cat(table, ".", column, " ");
  }
  EXPECT_EQ(server_->query(
                database_,
                "SELECT string_agg(relname || '.' || attname || ' ', '' ORDER BY relname COLLATE "
                "\"C\", attname COLLATE \"C\") FROM pg_class c JOIN pg_attribute a ON attrelid = "
                "c.oid WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > "
                "0 AND NOT attisdropped AND relname NOT LIKE 'paddock%'"),
            listed);
  const auto db = sqlite::Connection::open("", sqlite::Connection::Mode::kWriter).value();
  ASSERT_TRUE(sqlite::migrate(*db).ok());
  auto all = db->prepare(
      "SELECT group_concat(line, '') FROM (SELECT m.name || '.' || c.name || ' ' AS line FROM "
      "sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE "
      "'sqlite%' ORDER BY m.name, c.name)");
  ASSERT_TRUE(all.step().value());
  EXPECT_EQ(all.text(0), listed);
}

TEST_F(MoveStore, IsRefusedWhereItCannotBeWhole) {
  EXPECT_EQ(moving(MoveTo::kSqlite), "STORE_NOTHING_TO_MOVE");
  {
    const auto used = must_open(places().file);
    EXPECT_EQ(moving(MoveTo::kPostgres), "STORE_LOCKED");
  }
  server_->query(database_, "CREATE TABLE theirs (x int)");
  EXPECT_EQ(moving(MoveTo::kPostgres), "STORE_NOT_EMPTY");
  EXPECT_EQ(moving(MoveTo::kSqlite), "STORE_NOT_OURS");
  server_->query(database_, "DROP TABLE theirs");
  ASSERT_EQ(moving(MoveTo::kPostgres), "moved");
  EXPECT_EQ(moving(MoveTo::kPostgres), "STORE_NOTHING_TO_MOVE");
  {
    const auto leads = Store::open(options("another")).value();
    create_next(*leads, "led");  // who never wrote does not end its lease early
    EXPECT_EQ(moving(MoveTo::kSqlite), "STORE_LOCKED");
  }
  server_->query(database_, "UPDATE paddock_leader SET schema_version = 99");
  EXPECT_EQ(moving(MoveTo::kSqlite), "STORE_SCHEMA_TOO_NEW");
  server_->query(database_,
                 cat("UPDATE paddock_leader SET schema_version = ", postgres::schema_version()));
  std::ofstream(places().file) << "";
  EXPECT_EQ(moving(MoveTo::kSqlite), "STORE_NOT_EMPTY");
  std::filesystem::remove(places().file);
  ASSERT_EQ(moving(MoveTo::kSqlite), "moved");
  const auto gone = Store::open(options("another"));
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().reason, "STORE_MOVED_AWAY");
  EXPECT_NE(gone.error().describe().find(cat(places().file, " by mover")), std::string::npos)
      << gone.error().describe();
  EXPECT_EQ(moving(MoveTo::kPostgres), "STORE_NOT_EMPTY");
}

TEST_F(MoveStore, AFileOfAnOlderVersionIsRefusedAndLeftAsItIs) {
  std::filesystem::remove(places().file);
  {
    const auto db =
        sqlite::Connection::open(places().file, sqlite::Connection::Mode::kWriter).value();
    ASSERT_TRUE(sqlite::migrate(*db, sqlite::schema_version() - 1).ok());
  }
  EXPECT_EQ(moving(MoveTo::kPostgres), "STORE_SCHEMA_TOO_OLD");
  const auto db =
      sqlite::Connection::open(places().file, sqlite::Connection::Mode::kReader).value();
  EXPECT_EQ(db->pragma("PRAGMA user_version").value(), sqlite::schema_version() - 1);
}

// Who starts first on the moved store with another data folder would revoke its tokens.
TEST_F(MoveStore, WhatWasMovedIsNoNewStoreToAnotherInstance) {
  ASSERT_EQ(moving(MoveTo::kPostgres), "moved");
  const Lead another = LeadWatch::open(*options("another").postgres).value()->look().value();
  EXPECT_TRUE(another.free);
  EXPECT_FALSE(another.anew) << "its files are compared first";
  EXPECT_EQ(another.leader, "mover");
  EXPECT_FALSE(another.ours);
  const Lead own = LeadWatch::open(*options("mover").postgres).value()->look().value();
  EXPECT_TRUE(own.anew && own.ours);
}

TEST_F(MoveStore, WhoWaitedForTheLeadLearnsThatItIsGone) {
  ASSERT_EQ(moving(MoveTo::kPostgres), "moved");
  const auto waits = LeadWatch::open(*options("another").postgres).value();
  ASSERT_TRUE(waits->look().ok());
  ASSERT_EQ(moving(MoveTo::kSqlite), "moved");
  const auto seen = waits->look();
  ASSERT_TRUE(seen.ok()) << seen.error().describe();
  EXPECT_TRUE(seen->free) << "it is told STORE_MOVED_AWAY when it would lead";
}

// A controller that asks for the lead meanwhile waits, and does not end the move.
TEST_F(MoveStore, IsNotEndedByWhoWouldLeadMeanwhile) {
  ASSERT_EQ(moving(MoveTo::kPostgres), "moved");
  const std::string id = make_uuid(random_);
  const auto source = move::begin_at(places().postgres, id).value();
  ASSERT_TRUE(move::hold_source(*source, places().postgres).ok());
  std::string led;
  std::thread leads([&] {
    do led = refusal(options("another"));
    while (led == "STORE_BUSY");  // it asks again until it is told
  });
  // Longer than deadlock_timeout: after that it is the move which a deadlock would end.
  while (server_->query(database_,
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND "
                        "clock_timestamp() - waitstart > interval '1.3 s'") == "0")
    std::this_thread::yield();
  EXPECT_TRUE(move::mark_taken(*source, id, "the file").ok());
  const Status taken = move::commit(*source);
  EXPECT_TRUE(taken.ok()) << taken.error().describe();
  leads.join();
  EXPECT_EQ(led, "STORE_MOVED_AWAY");
}

class MoveLeftOver : public MoveStore {
 protected:
  void SetUp() override {
    MoveStore::SetUp();
    if (IsSkipped()) return;
    id_ = make_uuid(random_);
    ASSERT_TRUE(move::write_marker(places().file, {MoveTo::kPostgres, id_}).ok());
  }
  std::string id_;
};

// The client is gone, its session is not yet.
TEST_F(MoveLeftOver, ASessionOfItIsEndedBeforeItIsBegunAnew) {
  const auto left = move::begin_at(places().postgres, id_).value();
  ASSERT_TRUE(move::make_tables(*left).ok());
  ASSERT_TRUE(move::mark_brought(*left, id_).ok());
  ASSERT_TRUE(left->finish().ok());
  EXPECT_EQ(moving(MoveTo::kPostgres), "moved");
  EXPECT_FALSE(move::commit(*left).ok());
}

TEST_F(MoveLeftOver, WhatCannotBeEndedYetIsNotTakenForANo) {
  const auto target = postgres::parse_target(server_->url(database_)).value();
  const auto commits = postgres::Connection::open(target, "does not end").value();
  ASSERT_TRUE(commits->ask("BEGIN").ok());
  ASSERT_TRUE(
      commits->ask("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", {postgres::text(id_)})
          .ok());
  EXPECT_EQ(moving(MoveTo::kPostgres), "STORE_BUSY");
  EXPECT_TRUE(exists("paddock.db.move"));
  ASSERT_TRUE(commits->ask("COMMIT").ok());
  EXPECT_EQ(moving(MoveTo::kPostgres), "moved");
}

TEST_F(MoveStore, WhatIsNoTextIsNamed) {
  {
    const auto db =
        sqlite::Connection::open(places().file, sqlite::Connection::Mode::kWriter).value();
    ASSERT_TRUE(db->execute("INSERT INTO settings VALUES ('k', CAST(x'ff00' AS TEXT))").ok());
  }
  const auto moved = move(MoveTo::kPostgres);
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().reason.str(), "STORE_DATA_INVALID");
  EXPECT_NE(moved.error().message.find("settings"), std::string::npos);
  EXPECT_EQ(server_->query(database_, "SELECT to_regclass('paddock_leader') IS NULL"), "t");
}

struct Cut {
  MoveTo to;
  Proxy::Cut how;
};
class MoveStoreCut : public MoveStore, public testing::WithParamInterface<Cut> {
 protected:
  // Through a proxy that ends the connection at this piece; false: it was done before.
  bool cut_at(int piece) {
    folder_ = std::make_unique<TempFolder>();
    database_ = server_->new_database();
    fill_new(2);
    if (GetParam().to == MoveTo::kSqlite) {
      EXPECT_EQ(moving(MoveTo::kPostgres), "moved");
    }
    const TempFolder socket;
    Proxy proxy(std::filesystem::path(socket.file()).parent_path(), server_->folder());
    MovePlaces through = places();
    through.postgres.url = cat(proxy.url(database_), "&connect_timeout=180");
    proxy.cut_at(piece, GetParam().how);
    const auto first = move_store(GetParam().to, through, kMovedAt, random_);
    const bool reached = proxy.has_cut();
    proxy.let_all_through();
    EXPECT_TRUE(first.ok() || reached);
    if (!first.ok()) check_cut(first.error());
    return !first.ok();
  }
  // Whatever it left: nothing opens half of it, and the same again ends it.
  void check_cut(const Error& error) {
    const bool unknown = error.reason == "STORE_OUTCOME_UNKNOWN";
    EXPECT_TRUE(unknown || error.reason == "STORE_AWAY") << error.describe();
    const Status free = check_not_moving(places().file);
    EXPECT_EQ(free.ok() ? "" : free.error().reason.str(), unknown ? "STORE_MOVE_UNFINISHED" : "");
    unknown_ += unknown ? 1 : 0;
    const auto again = move(GetParam().to);
    ASSERT_TRUE(again.ok()) << again.error().describe();
    finished_ += again->tables.empty() ? 1 : 0;
    if (GetParam().to == MoveTo::kPostgres) {
      ASSERT_EQ(moving(MoveTo::kSqlite), "moved");
    }
    EXPECT_EQ(chain_of(*must_open(places().file)), chain_);
    EXPECT_FALSE(exists("paddock.db.move"));
    EXPECT_FALSE(exists("paddock.db.moving"));
  }
  int unknown_ = 0;
  int finished_ = 0;
};

// Some pieces on the way, and each of the last ones, with COMMIT among them.
TEST_P(MoveStoreCut, AnywhereLosesNothing) {
  constexpr int kStride = 8;
  int end = 1;
  while (cut_at(end) && !HasFailure()) end += kStride;
  for (int piece = end - kStride + 1; piece < end && !HasFailure(); ++piece) cut_at(piece);
  EXPECT_GE(end, 20) << "a move has more pieces than that";
  EXPECT_EQ(unknown_, 1) << "the piece with COMMIT";
  EXPECT_EQ(finished_, GetParam().how == Proxy::Cut::kAfter ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Each, MoveStoreCut,
                         testing::Values(Cut{MoveTo::kPostgres, Proxy::Cut::kBefore},
                                         Cut{MoveTo::kPostgres, Proxy::Cut::kAfter},
                                         Cut{MoveTo::kSqlite, Proxy::Cut::kBefore},
                                         Cut{MoveTo::kSqlite, Proxy::Cut::kAfter}),
                         [](const auto& each) {
                           return cat(
                               each.param.to == MoveTo::kSqlite ? "Back" : "There",
                               each.param.how == Proxy::Cut::kBefore ? "NotSent" : "NotAnswered");
                         });

}  // namespace
}  // namespace paddock::store

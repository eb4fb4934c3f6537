// A database that goes away at any moment: nothing is half-written, what was acknowledged is there,
// and what was refused is not.
#include <atomic>
#include <filesystem>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "controller/store/postgres/postgres_fixture_test_support.h"

namespace paddock::store::postgres {
namespace {

class PostgresCut : public PostgresTest, public testing::WithParamInterface<Proxy::Cut> {
 protected:
  // One write whose connection ends at this piece of it; false: it has no such piece.
  bool cut_at(int piece) {
    const TempFolder folder;
    Proxy proxy(std::filesystem::path(folder.file()).parent_path(), server_->folder());
    // Nothing but the write goes through it: the lease is long.
    auto store = Store::open(options("cut", proxy.url(database_))).value();
    const std::string name = cat("r", piece);
    EXPECT_TRUE(write_pair(*store, name + "-before").ok());
    proxy.cut_at(piece, GetParam());
    const Status written = write_pair(*store, name);
    const bool reached = proxy.has_cut();
    proxy.let_all_through();
    const auto there = stored();
    EXPECT_EQ(there.contains("a-" + name), written.ok()) << reason(written);
    EXPECT_EQ(there.contains("b-" + name), written.ok()) << reason(written);
    EXPECT_EQ(announced_.contains("a-" + name), written.ok());
    if (!written.ok()) {
      EXPECT_EQ(written.error().reason, "STORE_AWAY");
      ++refused_;
    }
    EXPECT_TRUE(write_pair(*store, name + "-after").ok());
    EXPECT_TRUE(chain_of(*store).ends_with(std::to_string(expected_ += written.ok() ? 3 : 2)))
        << chain_of(*store);
    return reached;
  }
  int64_t expected_ = 0;
  int refused_ = 0;
};

TEST_P(PostgresCut, AtAnyPieceOfAWriteIsToldRightly) {
  int piece = 1;
  while (cut_at(piece) && !HasFailure()) ++piece;
  EXPECT_GE(piece, 5) << "a write has more pieces than that";
  // An answer that was lost only matters until COMMIT has been done: that one is looked up.
  EXPECT_EQ(refused_, GetParam() == Proxy::Cut::kBefore ? piece - 1 : piece - 2);
}

INSTANTIATE_TEST_SUITE_P(Each, PostgresCut,
                         testing::Values(Proxy::Cut::kBefore, Proxy::Cut::kAfter),
                         [](const auto& each) {
                           return each.param == Proxy::Cut::kBefore ? "NotSent" : "NotAnswered";
                         });

class PostgresFaults : public PostgresTest {};

TEST_F(PostgresFaults, AReadThatThrowsLeavesItsPlaceToTheNext) {
  StoreOptions one = options("throws");
  one.postgres->most_readers = 1;
  auto store = Store::open(one).value();
  EXPECT_THROW((void)store->read([](ReadTxn&) -> Status { throw std::bad_alloc(); }),
               std::bad_alloc);
  const Status next = store->read([](ReadTxn&) { return Status(); });
  EXPECT_TRUE(next.ok()) << reason(next);
}

TEST_F(PostgresFaults, SessionsThatAreEndedAgainAndAgainLoseAndHideNothing) {
  auto store = Store::open(options("storm")).value();
  std::mutex mutex;
  std::set<std::string> acknowledged;
  std::set<std::string> refused;
  std::atomic<int> writing{4};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 50; ++i) {
        const std::string name = cat("r-", writer, "-", i);
        const Status written = write_pair(*store, name);
        const std::lock_guard lock(mutex);
        (written.ok() ? acknowledged : refused).insert("a-" + name);
      }
      --writing;
    });
  }
  int rounds = 0;
  for (; writing > 0; ++rounds)
    server_->query("postgres",
                   "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                   "WHERE application_name LIKE 'paddock-controller epoch%'");
  for (std::thread& each : writers) each.join();
  const auto there = stored();
  for (const std::string& name : acknowledged) EXPECT_TRUE(there.contains(name)) << name;
  for (const std::string& name : refused) EXPECT_FALSE(there.contains(name)) << name;
  EXPECT_GT(rounds, 1);
  for (const std::string& name : announced_) EXPECT_TRUE(there.contains(name)) << name;
}

TEST_F(PostgresFaults, AServerThatStopsIsNamedAndWhatWasAcknowledgedIsThereWhenItIsBack) {
  auto store = Store::open(options("restart")).value();
  ASSERT_TRUE(write_pair(*store, "one").ok());
  server_->stop(SIGQUIT);
  EXPECT_EQ(reason(write_pair(*store, "two")), "STORE_AWAY");
  EXPECT_EQ(reason(store->read([](ReadTxn& txn) -> Status {
              TRY(txn.resource_version());
              return {};
            })),
            "STORE_AWAY");
  EXPECT_EQ(refusal(options("another")), "STORE_AWAY");
  ASSERT_TRUE(server_->start());
  EXPECT_TRUE(write_pair(*store, "three").ok());
  EXPECT_EQ(stored(), (std::set<std::string>{"a-one", "a-three", "b-one", "b-three"}));
}

// Small changes find room in what there is, on a disk that has none for more.
TEST_F(PostgresFaults, WhetherThereIsRoomAgainIsTriedWithAsMuchAsItSays) {
  auto store = Store::open(options("full")).value();
  server_->query(database_,
                 "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                 "RAISE disk_full; END $$; CREATE TRIGGER no_room BEFORE INSERT ON objects "
                 "FOR EACH ROW EXECUTE FUNCTION no_room()");
  ASSERT_EQ(reason(write_pair(*store, "one")), "STORE_FULL");
  EXPECT_TRUE(store->check_writable().ok());
  const std::string size = server_->query(
      database_, "SELECT pg_column_size(value) FROM settings WHERE key = 'write-probe'");
  EXPECT_GE(std::stoi(size), 64 << 10);
}

TEST_F(PostgresFaults, ADatabaseThatCannotBeOursIsRefusedByName) {
  auto elsewhere = options("a");
  elsewhere.postgres->url = server_->url("no_such_database");
  EXPECT_EQ(refusal(elsewhere), "STORE_LOGIN_REFUSED");
  elsewhere.postgres->url = "postgresql:///d?host=/nowhere";
  EXPECT_EQ(refusal(elsewhere), "STORE_AWAY");
  server_->query("postgres",
                 cat("ALTER DATABASE ", database_, " SET default_transaction_read_only = on"));
  EXPECT_EQ(refusal(options("a")), "STORE_READ_ONLY");
  server_->query("postgres",
                 cat("ALTER DATABASE ", database_, " RESET default_transaction_read_only"));
  server_->query(database_, "CREATE TABLE theirs (x int)");
  EXPECT_EQ(refusal(options("a")), "STORE_NOT_OURS");
  server_->query(database_, "DROP TABLE theirs");
  EXPECT_EQ(refusal(options("a")), "opened");
  server_->query(database_, "UPDATE paddock_leader SET schema_version = 99");
  EXPECT_EQ(refusal(options("a")), "STORE_SCHEMA_TOO_NEW");
}

}  // namespace
}  // namespace paddock::store::postgres

// Which index the server uses, before it was ever told what the tables hold: after a start with a
// new database, a move or a restore there are no statistics for a minute, and longer on some.
#include <chrono>
#include <thread>

#include "controller/store/postgres/postgres_fixture_test_support.h"

namespace paddock::store::postgres {
namespace {

class PostgresPlans : public PostgresTest {
 protected:
  bool has_sessions() const {
    return server_->query(database_,
                          "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE "
                          "'paddock-controller%' AND datname = current_database()") != "0";
  }

  // Rows that were read by it. Sessions tell that when they end.
  int64_t rows_read_by(const std::string& index) const {
    constexpr int kMostLooks = 6'000;
    for (int looks = 0; looks < kMostLooks && has_sessions(); ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return parse_integer<int64_t>(
               server_->query(database_, cat("SELECT idx_tup_read FROM pg_stat_user_indexes WHERE "
                                             "indexrelname = '",
                                             index, "'")))
        .value_or(-1);
  }
};

constexpr int kRuns = 300;

TEST_F(PostgresPlans, AnObjectIsFoundByItsNameWhateverElseItsNamespaceHolds) {
  auto store = Store::open(options("plans")).value();
  server_->query(database_, "ALTER TABLE objects SET (autovacuum_enabled = false)");
  for (int i = 0; i < kRuns; ++i) {
    contracts::Run run = make_run(cat("r", i));
    const NewObject made{contracts::Run::kKind, {"default", run.metadata.name}};
    ASSERT_TRUE(store->write_new({made}, [&](WriteTxn& txn) { return txn.create(run); }).ok());
  }
  for (int i = 0; i < kRuns; ++i) {
    const Key key{"default", cat("r", i)};
    ASSERT_TRUE(store
                    ->write([&](WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(contracts::Run run, txn.get<contracts::Run>(key));
                      run.status.message = "changed";
                      return txn.update(run);
                    })
                    .ok());
  }
  store.reset();
  EXPECT_EQ(rows_read_by("objects_newest"), 0);
}

TEST_F(PostgresPlans, APageOfTheNewestReadsNoMoreThanItShows) {
  auto store = Store::open(options("plans")).value();
  server_->query(database_, "ALTER TABLE objects SET (autovacuum_enabled = false)");
  ASSERT_TRUE(store
                  ->write([&](WriteTxn& txn) -> Status {
                    for (int i = 0; i < kRuns; ++i) {
                      contracts::Run run = make_run(cat("r", i));
                      TRY(txn.create(run));
                    }
                    return {};
                  })
                  .ok());
  ListOptions page;
  page.name_space = "default";
  page.newest_first = true;
  page.limit = 10;
  ASSERT_TRUE(store
                  ->read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto rows, txn.list<contracts::Run>(page));
                    EXPECT_EQ(rows.items.size(), 10U);
                    return {};
                  })
                  .ok());
  store.reset();
  EXPECT_EQ(rows_read_by("objects_newest"), 11) << "one more says that there are others";
}

}  // namespace
}  // namespace paddock::store::postgres

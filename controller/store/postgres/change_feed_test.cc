// Who follows is told what the leader was: each change once, in order, with both texts.
#include <vector>

#include "controller/store/follow.h"
#include "controller/store/postgres/postgres_fixture_test_support.h"

namespace paddock::store::postgres {
namespace {

std::string line_of(const ObjectWrite& write) {
  return cat(write.resource_version, " ", static_cast<int>(write.op), " ", write.kind, " ",
             write.key.name_space, "/", write.key.name, " ", write.before, " > ", write.after);
}

class Following : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    leader_ = open("the leader");
    feed_ = ChangeFeed::open(*options("a standby").postgres).value();
  }
  std::unique_ptr<Store> open(const std::string& holder) {
    StoreOptions with = options(holder);
    with.on_changes = [this](std::vector<ObjectWrite> changes) {
      for (const ObjectWrite& each : changes) announced_.push_back(line_of(each));
    };
    return Store::open(with).value();
  }
  // A run with two phases, changed once; one that comes and goes; one that is refused at the end.
  void work(const std::string& name) {
    ASSERT_TRUE(write_pair(*leader_, name).ok());
    ASSERT_TRUE(leader_
                    ->write([&](WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(auto run, txn.get<contracts::Run>({"default", "a-" + name}));
                      run.metadata.labels["text"] = "é \"quoted\"\n";
                      TRY(txn.update(run));
                      contracts::RunEvent phase;
                      phase.type = contracts::kEventPhase;
                      phase.data = "Running";
                      TRY(txn.append_event(run.metadata.uid, phase));
                      return txn.erase<contracts::Run>({"default", "b-" + name});
                    })
                    .ok());
    ASSERT_FALSE(leader_
                     ->write([&](WriteTxn& txn) -> Status {
                       contracts::Run run = make_run("undone-" + name);
                       TRY(txn.create(run));
                       return Error{};
                     })
                     .ok());
  }
  // All there is behind a version, piece by piece.
  std::vector<std::string> told_after(int64_t version) {
    std::vector<std::string> out;
    while (true) {
      const News news = feed_->after(version).value();
      EXPECT_TRUE(news.whole);
      if (!news.whole || news.changes.empty()) return out;
      for (const ObjectWrite& each : news.changes) out.push_back(line_of(each));
      version = news.changes.back().resource_version;
    }
  }
  int64_t newest() { return feed_->after(0).value().newest; }

  std::vector<std::string> announced_;
  std::unique_ptr<Store> leader_;
  std::unique_ptr<ChangeFeed> feed_;
};

TEST_F(Following, IsToldEachChangeAsTheLeaderAnnouncedIt) {
  ASSERT_TRUE(feed_->follow().ok());
  const int64_t begun = newest();
  announced_.clear();
  work("one");
  ASSERT_GT(announced_.size(), 4U);
  EXPECT_EQ(told_after(begun), announced_);
  EXPECT_TRUE(feed_->after(newest()).value().changes.empty());
}

TEST_F(Following, GoesOnOverAChangeOfLeader) {
  ASSERT_TRUE(feed_->follow().ok());
  const int64_t begun = newest();
  announced_.clear();
  work("one");
  leader_.reset();
  leader_ = open("the next");
  work("two");
  EXPECT_EQ(told_after(begun), announced_);
}

TEST_F(Following, ComesInPiecesWhenThereIsMuch) {
  ASSERT_TRUE(feed_->follow().ok());
  const int64_t begun = newest();
  announced_.clear();
  ASSERT_TRUE(leader_
                  ->write([&](WriteTxn& txn) -> Status {
                    for (int i = 0; i < 700; ++i) {
                      contracts::Run run = make_run(cat("run-", i));
                      TRY(txn.create(run));
                    }
                    return {};
                  })
                  .ok());
  EXPECT_LT(feed_->after(begun).value().changes.size(), 700U);
  EXPECT_EQ(told_after(begun), announced_);
}

TEST_F(Following, SaysWhatItCannotTell) {
  ASSERT_TRUE(write_pair(*leader_, "before").ok());
  EXPECT_EQ(server_->query(database_, "SELECT count(*) FROM paddock_change_texts"), "0")
      << "nobody follows, so it costs nothing";
  EXPECT_FALSE(feed_->after(0).value().whole);
  EXPECT_EQ(feed_->after(0).value().newest, newest());
  ASSERT_TRUE(feed_->follow().ok());
  const int64_t begun = newest();
  work("one");
  EXPECT_FALSE(feed_->after(begun - 1).value().whole) << "that one is older";
  server_->query(database_,
                 cat("DELETE FROM paddock_change_texts WHERE resource_version = ", begun + 2));
  const News news = feed_->after(begun).value();
  EXPECT_FALSE(news.whole) << "none is left out";
  EXPECT_FALSE(feed_->after(news.newest + 1).value().whole) << "the database was set back";
}

// A replica that lacked the last changes was promoted, and their numbers are given again: whatever
// was not logged is gone, who follows is written anew, and each of the new changes has its text.
TEST_F(Following, IsToldThatTheNumbersAreThoseOfAnotherHistory) {
  ASSERT_TRUE(feed_->follow().ok());
  const int64_t begun = newest();
  server_->query(database_, "DELETE FROM paddock_followed");
  EXPECT_TRUE(feed_->after(begun).value().whole) << "nobody has written yet";
  const auto third = ChangeFeed::open(*options("a third").postgres).value();
  ASSERT_TRUE(third->follow().ok());
  work("one");
  EXPECT_FALSE(feed_->after(begun).value().whole);
  EXPECT_TRUE(third->after(begun).value().whole);
  EXPECT_TRUE(feed_->after(newest()).value().whole) << "it has begun anew";
}

TEST_F(Following, IsForgottenByTheLeaderOnceNobodyDoes) {
  ASSERT_TRUE(feed_->follow().ok());
  server_->query(database_, "UPDATE paddock_followed SET until = clock_timestamp()");
  const int64_t begun = newest();
  work("one");
  EXPECT_FALSE(feed_->after(begun).value().whole);
}

TEST_F(Following, KeepsTheTextsOfTheNewestAlone) {
  ASSERT_TRUE(feed_->follow().ok());
  server_->query(database_,
                 "INSERT INTO paddock_change_texts SELECT n, '', '' FROM generate_series(1, 10) n");
  server_->query(database_, "UPDATE paddock_leader SET changes_given = 29990");
  ASSERT_TRUE(write_pair(*leader_, "a").ok());
  work("one");
  work("two");
  EXPECT_EQ(
      server_->query(database_, "SELECT min(resource_version) > 10 FROM paddock_change_texts"),
      "t");
}

// It keeps fewer objects when they are large, because no quota counts them.
TEST_F(Following, KeepsSoManyBytesOfTextsAlone) {
  ASSERT_TRUE(feed_->follow().ok());
  server_->query(database_,
                 "INSERT INTO paddock_change_texts SELECT n, '', repeat('x', 30 << 20) "
                 "FROM generate_series(1, 10) n");
  server_->query(database_, "UPDATE paddock_leader SET changes_given = 1000");
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(leader_
                    ->write([&](WriteTxn& txn) -> Status {
                      contracts::Run run = make_run(cat("large-", i));
                      run.metadata.annotations["text"] = std::string(2 << 20, 'x');
                      return txn.create(run);
                    })
                    .ok());
  }
  const std::string bytes = "SELECT sum(octet_length(before) + octet_length(after)) >> 20 FROM ";
  EXPECT_LE(std::stoi(server_->query(database_, bytes + "paddock_change_texts")), 256 + 16);
  EXPECT_EQ(
      server_->query(database_,
                     "SELECT count(*) FROM paddock_change_texts WHERE resource_version > 1000"),
      "10");
}

TEST_F(Following, LeavesNoTextsOnceNobodyDoes) {
  ASSERT_TRUE(feed_->follow().ok());
  work("one");
  const std::string count = "SELECT count(*) > 0 FROM paddock_change_texts";
  EXPECT_EQ(server_->query(database_, count), "t");
  server_->query(database_, "UPDATE paddock_followed SET until = clock_timestamp()");
  ASSERT_TRUE(leader_->write([](WriteTxn&) { return Status(); }).ok());
  EXPECT_EQ(server_->query(database_, count), "f");
  ASSERT_TRUE(feed_->follow().ok());
  work("two");
  leader_.reset();
  server_->query(database_, "UPDATE paddock_followed SET until = clock_timestamp()");
  leader_ = open("the next");
  ASSERT_TRUE(leader_->write([](WriteTxn&) { return Status(); }).ok());
  EXPECT_EQ(server_->query(database_, count), "f") << "those that a former leader left, too";
}

// After a promotion, as above.
TEST_F(Following, ReadsNoObjectThatHadANumberBefore) {
  const auto store = open_to_read(*options("a standby").postgres).value();
  ASSERT_TRUE(write_pair(*leader_, "one").ok());
  const auto name_of = [&](const std::string& name) {
    std::string out;
    EXPECT_TRUE(store
                    ->read([&](ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto run, txn.get<contracts::Run>({"default", name}));
                      out = run.metadata.name;
                      return {};
                    })
                    .ok());
    return out;
  };
  EXPECT_EQ(name_of("a-one"), "a-one");
  server_->query(database_,
                 "UPDATE objects b SET resource_version = a.resource_version FROM objects a "
                 "WHERE a.name = 'a-one' AND b.name = 'b-one'");
  EXPECT_EQ(name_of("b-one"), "b-one");
}

TEST_F(Following, ReadsWhatIsCommittedAndWritesNothing) {
  const auto store = open_to_read(*options("a standby").postgres).value();
  ASSERT_TRUE(write_pair(*leader_, "one").ok());
  ASSERT_TRUE(
      leader_->write([](WriteTxn& txn) {
               return txn.put_token({"id", "hash", "x", {}, "", {}});
             })
          .ok());
  EXPECT_TRUE(
      store
          ->read([](ReadTxn& txn) -> Status {
            return txn.get<contracts::Run>({"default", "a-one"}).ok() ? Status() : Status(Error{});
          })
          .ok());
  EXPECT_FALSE(store->token_by_hash("hash").value()->revoked);
  ASSERT_TRUE(leader_
                  ->write([](WriteTxn& txn) {
                    return txn.put_token({"id", "hash", "x", {}, "", {}, true});
                  })
                  .ok());
  EXPECT_TRUE(store->token_by_hash("hash").value()->revoked) << "at once";
  EXPECT_EQ(reason(write_pair(*store, "two")), "NOT_LEADER");
  EXPECT_EQ(reason(store->check_writable()), "NOT_LEADER");
  EXPECT_EQ(stored(), (std::set<std::string>{"a-one", "b-one"}));
}

}  // namespace
}  // namespace paddock::store::postgres

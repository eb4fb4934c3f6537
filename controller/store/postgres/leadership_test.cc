// One leader writes: a second one waits for the lease, and a former one writes nothing any more.
#include "controller/store/postgres/leadership.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <latch>
#include <thread>
#include <vector>

#include "common/base/guarded.h"
#include "controller/store/lead_watch.h"
#include "controller/store/postgres/postgres_fixture_test_support.h"

namespace paddock::store::postgres {
namespace {

// It runs out soon, yet not while it is renewed, unless the machine is too busy for that.
constexpr Millis kShort{2'000};

class PostgresLead : public PostgresTest {
 protected:
  // Once the other's lease has run out, which is the server's to say.
  std::unique_ptr<Store> open_when_it_may(const StoreOptions& options) {
    for (int i = 0; i < 30'000; ++i) {
      auto opened = Store::open(options);
      if (opened.ok()) return std::move(*opened);
      const Reason why = opened.error().reason;
      EXPECT_TRUE(why == "STORE_LOCKED" || why == "STORE_BUSY") << opened.error().describe();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return nullptr;
  }
  StoreOptions counting(const std::string& holder, const std::string& url = {}) {
    StoreOptions out = options(holder, url);
    out.postgres->on_fenced = [this] { ++fenced_; };
    return out;
  }
  // Once its lease is confirmed: a busy machine may have given nobody a processor to renew it.
  static Status write_while_it_leads(Store& store, const std::string& name) {
    Status out;
    for (int i = 0; i < 30'000; ++i) {
      out = write_pair(store, name);
      if (reason(out) != "NOT_LEADER") break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return out;
  }
  // Until it learns from the database why it is refused; before that it only knows that its lease
  // ran out.
  static std::string last_reason(Store& former) {
    std::string last = "NOT_LEADER";
    for (int i = 0; i < 30'000 && (last == "NOT_LEADER" || last == "STORE_AWAY"); ++i) {
      last = reason(write_pair(former, "late"));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return last;
  }
  std::atomic<int> fenced_{0};
};

// What a store says of its lease, for whoever waits to hear it.
class LeaseNews {
 public:
  void tell(bool confirmed) {
    told_.with([&](std::vector<bool>& told) { told.push_back(confirmed); });
    changed_.notify_all();
  }
  // Whether it came to be that nothing newer is told than this.
  bool wait_for_newest(bool confirmed) {
    return told_.wait_for(
        changed_, std::chrono::minutes(5),
        [&](const std::vector<bool>& told) { return !told.empty() && told.back() == confirmed; },
        [](const std::vector<bool>&, bool in_time) { return in_time; });
  }
  // Whether all were news: first that it is not confirmed, and then the other of both each time.
  bool were_news() {
    return told_.with([](const std::vector<bool>& told) {
      for (size_t i = 0; i < told.size(); ++i)
        if (told[i] != (i % 2 == 1)) return false;
      return true;
    });
  }

 private:
  Guarded<std::vector<bool>> told_;
  std::condition_variable changed_;
};

TEST_F(PostgresLead, IsRefusedToASecondOneByNameAndGivenUpAtTheEnd) {
  auto first = Store::open(options("the first")).value();
  const auto second = Store::open(options("the second"));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().reason, "STORE_LOCKED");
  EXPECT_NE(second.error().message.find("the first"), std::string::npos);
  EXPECT_TRUE(write_pair(*first, "a").ok()) << "it was not disturbed";
  first.reset();
  EXPECT_EQ(refusal(options("the second")), "opened");
}

TEST_F(PostgresLead, IsSeenByWhoeverWaitsForIt) {
  auto watch = LeadWatch::open(*options("the second").postgres).value();
  EXPECT_TRUE(watch->look().value().free) << "nobody has made a table";
  auto first = Store::open(options("the first")).value();
  ASSERT_TRUE(
      first->write([](WriteTxn& txn) { return txn.put_setting(kLeaderUrlSetting, "u"); }).ok());
  Lead seen = watch->look().value();
  EXPECT_FALSE(seen.free);
  EXPECT_FALSE(seen.anew);
  EXPECT_EQ(seen.leader, "the first");
  EXPECT_EQ(seen.url, "u");
  EXPECT_GT(seen.left, Millis(0));
  EXPECT_EQ(watch->setting(kLeaderUrlSetting).value(), "u");
  EXPECT_TRUE(LeadWatch::open(*options("the first").postgres).value()->look().value().free);
  first.reset();
  seen = watch->look().value();
  EXPECT_TRUE(seen.free) << "at once";
  EXPECT_FALSE(seen.anew) << "another instance led it";
  EXPECT_EQ(seen.epoch, 1);
}

TEST_F(PostgresLead, OfAnOlderVersionKeepsItsTablesWhileItLives) {
  auto first = Store::open(options("the first")).value();
  server_->query(database_,
                 "DROP TABLE paddock_change_texts, paddock_followed; "
                 "UPDATE paddock_leader SET schema_version = 1");
  EXPECT_EQ(refusal(options("the second")), "STORE_LOCKED");
  EXPECT_EQ(server_->query(database_, "SELECT schema_version FROM paddock_leader"), "1");
}

TEST_F(PostgresLead, WhatTheFormerOneReadsKeepsNoTableAsItWas) {
  auto former = Store::open(options("one")).value();
  std::string opened;
  (void)former->read([&](ReadTxn& txn) -> Status {
    const auto found = txn.find<contracts::Run>({"default", "none"});
    server_->query(database_, "UPDATE paddock_leader SET schema_version = 2");
    opened = refusal(options("one"));
    return {};
  });
  EXPECT_EQ(opened, "opened");
  EXPECT_EQ(server_->query(database_, "SELECT schema_version FROM paddock_leader"), "3");
}

TEST_F(PostgresLead, OfANewerVersionIsSeenBeforeItIsTaken) {
  auto first = Store::open(options("the first")).value();
  auto watch = LeadWatch::open(*options("the second").postgres).value();
  EXPECT_FALSE(watch->look().value().unusable);
  server_->query(database_, "UPDATE paddock_leader SET schema_version = 99");
  EXPECT_EQ(watch->look().value().unusable.value().reason, "STORE_SCHEMA_TOO_NEW");
}

TEST_F(PostgresLead, TakingOverEndsWhatTheFormerOneReads) {
  auto former = Store::open(counting("one")).value();
  Status read;
  std::string next_opened;
  read = former->read([&](ReadTxn& txn) -> Status {
    TRY(txn.resource_version());
    auto next = open_when_it_may(this->options("one"));
    next_opened = next ? "opened" : "";
    return txn.resource_version().ok() ? Status() : Status(Error{});
  });
  EXPECT_EQ(next_opened, "opened");
  EXPECT_FALSE(read.ok()) << "its session was ended";
}

TEST_F(PostgresLead, IsTakenOverAtOnceByTheSameInstance) {
  auto before = Store::open(counting("one")).value();
  auto after = Store::open(options("one")).value();
  EXPECT_EQ(reason(write_pair(*before, "a")), "STORE_FENCED");
  EXPECT_TRUE(write_pair(*after, "b").ok());
  EXPECT_EQ(fenced_, 1);
}

// Older versions know an instance alone; a copy of its data folder is another controller.
TEST_F(PostgresLead, IsTakenOverOnceFromAnOlderVersionAndNotByACopy) {
  auto older = Store::open(counting("one")).value();
  auto after = Store::open(options("one@here")).value();
  EXPECT_EQ(reason(write_pair(*older, "a")), "STORE_FENCED");
  EXPECT_EQ(refusal(options("one@copied")), "STORE_LOCKED");
  const Lead seen = LeadWatch::open(*options("one@copied").postgres).value()->look().value();
  EXPECT_FALSE(seen.free || seen.anew);
  EXPECT_TRUE(seen.ours);
  EXPECT_TRUE(write_pair(*after, "b").ok()) << "it was not disturbed";
  EXPECT_EQ(refusal(options("one@here")), "opened");
}

TEST_F(PostgresLead, TwoThatClaimItByHandDoNotBothWrite) {
  auto store = Store::open(counting("one")).value();
  server_->query(database_, "UPDATE paddock_leader SET epoch = epoch + 1");
  EXPECT_EQ(reason(write_pair(*store, "a")), "STORE_FENCED");
  EXPECT_EQ(reason(write_pair(*store, "a")), "STORE_FENCED");
  EXPECT_EQ(reason(store->read([](ReadTxn&) { return Status(); })), "STORE_FENCED");
  EXPECT_EQ(store->token_by_hash("x").error().reason, "STORE_FENCED");
  EXPECT_EQ(fenced_, 1) << "once";
  EXPECT_TRUE(stored().empty());
}

// As a replica does that lacks the last commits: the row has the former epoch, and gives it again.
TEST_F(PostgresLead, AnEpochThatWasGivenTwiceIsTheHoldersAlone) {
  auto store = Store::open(counting("one")).value();
  server_->query(database_, "UPDATE paddock_leader SET holder = 'two', holder_name = 'two'");
  EXPECT_EQ(reason(write_pair(*store, "a")), "STORE_FENCED");
  EXPECT_EQ(fenced_, 1);
  EXPECT_TRUE(stored().empty());
  const Target target = parse_target(server_->url(database_)).value();
  const Leadership batch{1, 0, {}};
  EXPECT_TRUE(was_committed(target, batch, "two").value());
  server_->query(database_, "UPDATE paddock_leader SET batch = 7");
  EXPECT_FALSE(was_committed(target, {1, 5, {}}, "one").value()) << "the other one's batch";
  EXPECT_TRUE(was_committed(target, {1, 5, {}}, "two").value());
  auto db = Connection::open(target, "test").value();
  ASSERT_TRUE(give_up_lead(*db, 1, "one").ok());
  const char* ended = "SELECT lease_until <= clock_timestamp() FROM paddock_leader";
  EXPECT_EQ(server_->query(database_, ended), "f");
  ASSERT_TRUE(give_up_lead(*db, 1, "two").ok());
  EXPECT_EQ(server_->query(database_, ended), "t");
}

// What is remembered by resource version would be taken for what has that version now.
TEST_F(PostgresLead, OneWhoseDatabaseWasSetBackBeginsAnew) {
  auto store = Store::open(counting("one")).value();
  ASSERT_TRUE(write_pair(*store, "a").ok());
  server_->query(database_, "UPDATE paddock_leader SET changes_given = changes_given - 1");
  EXPECT_EQ(reason(write_pair(*store, "b")), "STORE_FENCED");
  EXPECT_EQ(reason(store->read([](ReadTxn&) { return Status(); })), "STORE_FENCED");
  EXPECT_EQ(fenced_, 1);
  EXPECT_EQ(stored(), (std::set<std::string>{"a-a", "b-a"}));
}

TEST_F(PostgresLead, OneThatWasCutOffWritesNothingWhenItIsBack) {
  const TempFolder folder;
  Proxy proxy(std::filesystem::path(folder.file()).parent_path(), server_->folder());
  auto options = counting("cut off", proxy.url(database_));
  options.postgres->lease = kShort;
  auto former = Store::open(options).value();
  ASSERT_TRUE(write_while_it_leads(*former, "before").ok());
  proxy.hold(true);
  auto next = open_when_it_may(this->options("next"));
  ASSERT_TRUE(next);
  ASSERT_TRUE(write_pair(*next, "next").ok());
  proxy.hold(false);
  // What it was sending when it was cut off is lost with its session; then it learns why.
  EXPECT_EQ(last_reason(*former), "STORE_FENCED");
  EXPECT_EQ(fenced_, 1);
  EXPECT_EQ(stored(), (std::set<std::string>{"a-before", "a-next", "b-before", "b-next"}));
  EXPECT_TRUE(chain_of(*next).starts_with("2 records")) << chain_of(*next);
}

TEST_F(PostgresLead, OneWhoseLeaseRanOutSendsEverybodyElsewhereUntilItIsConfirmed) {
  const TempFolder folder;
  Proxy proxy(std::filesystem::path(folder.file()).parent_path(), server_->folder());
  auto options = counting("cut off", proxy.url(database_));
  options.postgres->lease = kShort;
  LeaseNews news;
  options.postgres->on_lead_confirmed = [&](bool confirmed) { news.tell(confirmed); };
  auto store = Store::open(options).value();
  ASSERT_TRUE(write_while_it_leads(*store, "before").ok());
  // As it is cut off one reads, one is about to commit, and another one waits for its turn. Where
  // the lease has run out before that, they ask again.
  std::latch reading{1}, held{1}, go_on{1};
  std::string read;
  std::thread reader([&] {
    for (bool begun = false; !begun;) {
      read = reason(store->read([&](ReadTxn& txn) -> Status {
        TRY(txn.audit_events({}));
        begun = true;
        reading.count_down();
        held.wait();
        for (;;) TRY(txn.audit_events({}));
      }));
    }
  });
  std::thread writer([&] {
    reading.wait();
    for (bool begun = false; !begun;) {
      (void)store->write([&](WriteTxn&) -> Status {
        begun = true;
        proxy.hold(true);
        held.count_down();
        go_on.wait();
        return {};
      });
    }
  });
  held.wait();
  EXPECT_EQ(reason(write_pair(*store, "waits")), "NOT_LEADER");
  reader.join();
  EXPECT_EQ(read, "NOT_LEADER");
  EXPECT_TRUE(news.wait_for_newest(false));
  EXPECT_EQ(reason(write_pair(*store, "later")), "NOT_LEADER");
  EXPECT_EQ(reason(store->check_writable()), "NOT_LEADER");
  EXPECT_EQ(store->token_by_hash("x").error().reason, "NOT_LEADER");
  proxy.hold(false);
  go_on.count_down();
  writer.join();
  EXPECT_TRUE(news.wait_for_newest(true)) << "nobody else took the lead";
  EXPECT_TRUE(news.were_news());
  EXPECT_EQ(fenced_, 0);
  EXPECT_EQ(last_reason(*store), "") << "it takes changes again";
  EXPECT_EQ(stored(), (std::set<std::string>{"a-before", "a-late", "b-before", "b-late"}));
}

// Its transactions begin, and none is kept: the lease that they would renew runs out.
TEST_F(PostgresLead, OneWhoseCommitsFailIsNotConfirmed) {
  auto options = counting("one");
  options.postgres->lease = kShort;
  LeaseNews news;
  options.postgres->on_lead_confirmed = [&](bool confirmed) { news.tell(confirmed); };
  auto store = Store::open(options).value();
  server_->query(database_,
                 "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                 "IF current_setting('application_name') = 'paddock-controller epoch 1' THEN "
                 "RAISE disk_full; END IF; RETURN NULL; END $$; CREATE CONSTRAINT TRIGGER no_room "
                 "AFTER UPDATE ON paddock_leader DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
                 "EXECUTE FUNCTION no_room()");
  EXPECT_TRUE(news.wait_for_newest(false));
  EXPECT_EQ(reason(store->read([](ReadTxn&) { return Status(); })), "NOT_LEADER");
  auto next = open_when_it_may(this->options("next"));
  EXPECT_TRUE(next && write_pair(*next, "next").ok());
  EXPECT_EQ(last_reason(*store), "STORE_FENCED");
}

TEST_F(PostgresLead, OneThatIsPausedInATransactionHoldsNobodyUp) {
  auto options = counting("paused");
  options.postgres->lease = kShort;
  auto former = Store::open(options).value();
  struct State {
    bool inside = false;
    bool go_on = false;
  };
  Guarded<State> state;
  std::condition_variable changed;
  std::string told;
  std::thread paused([&] {
    told = reason(former->write([&](WriteTxn& txn) -> Status {
      contracts::Run run = make_run("half");
      TRY(txn.create(run));
      state.with([](State& s) { s.inside = true; });
      changed.notify_all();
      state.wait_for(
          changed, std::chrono::minutes(5), [](const State& s) { return s.go_on; },
          [](State&, bool) { return 0; });
      contracts::Run other = make_run("other-half");
      return txn.create(other);
    }));
  });
  state.wait_for(
      changed, std::chrono::minutes(5), [](const State& s) { return s.inside; },
      [](State&, bool) { return 0; });
  auto next = open_when_it_may(this->options("next"));
  EXPECT_TRUE(next && write_pair(*next, "next").ok());
  state.with([](State& s) { s.go_on = true; });
  changed.notify_all();
  paused.join();
  EXPECT_TRUE(told == "STORE_AWAY" || told == "NOT_LEADER" || told == "STORE_FENCED") << told;
  EXPECT_EQ(last_reason(*former), "STORE_FENCED");
  EXPECT_EQ(stored(), (std::set<std::string>{"a-next", "b-next"}));
}

}  // namespace
}  // namespace paddock::store::postgres

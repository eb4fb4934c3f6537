#include "controller/api/server/write_behind_queue.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::api {
namespace {

// One that refuses writes when it is told to.
class Moody final : public store::Store {
 public:
  Status write(const std::function<Status(store::WriteTxn&)>& change) override {
    if (full) return Error{Code::kUnavailable, "STORE_FULL", "no space"};
    return real_->write(change);
  }
  Status read(const std::function<Status(store::ReadTxn&)>& look) override {
    return real_->read(look);
  }
  Status check_writable() override {
    return full ? Status(Error{Code::kUnavailable, "STORE_FULL", "no space"})
                : real_->check_writable();
  }
  std::atomic<bool> full{false};

 private:
  std::unique_ptr<store::Store> real_ = store::Store::open({}).value();
};

class Later : public testing::Test {
 protected:
  Result<uint64_t> add(const std::string& subject) {
    contracts::AuditEvent event;
    event.type = contracts::audit::kExecuteRequest;
    event.subject = subject;
    return later_.add(store_, WriteBehindQueue::audit({std::move(event)}));
  }
  std::string told() {
    std::string out = " ";
    EXPECT_TRUE(store_
                    .read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto all,
                                       txn.audit_events({.after = 0, .limit = 5'000}));
                      for (const contracts::AuditEvent& event : all) out += event.subject + " ";
                      return {};
                    })
                    .ok());
    return out;
  }

  Moody store_;
  WriteBehindQueue later_;
};

TEST_F(Later, NothingBeginsWhileTheStoreRefusesWhatOthersWrite) {
  EXPECT_TRUE(later_.check(store_).ok());
  store_.full = true;  // no record of ours has met that yet
  EXPECT_EQ(later_.check(store_).error().reason, "STORE_FULL");
  store_.full = false;
  EXPECT_TRUE(later_.check(store_).ok());
}

TEST_F(Later, WhileNobodyServesTheCallerWrites) {
  ASSERT_TRUE(add("a").ok());
  ASSERT_TRUE(add("b").ok());
  EXPECT_EQ(told(), " a b ");
}

TEST_F(Later, WhatWasAddedIsThereInOrderWhenItHasStopped) {
  std::thread server([&] { later_.serve(store_); });
  std::string expected = " ";
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(add(std::to_string(i)).ok());
    expected += cat(i, " ");
  }
  later_.stop();
  server.join();
  EXPECT_EQ(told(), expected);
  ASSERT_TRUE(add("after").ok());
  EXPECT_EQ(told(), expected + "after ");
}

TEST_F(Later, WhatIsSettledIsThereWhoeverWritesIt) {
  std::thread server([&] { later_.serve(store_); });
  for (int i = 0; i < 50; ++i) {
    const auto number = add(std::to_string(i));
    ASSERT_TRUE(number.ok());
    ASSERT_TRUE(later_.settle(store_, *number).ok());
    EXPECT_THAT(told(), testing::EndsWith(cat(" ", i, " "))) << "of " << told();
  }
  later_.stop();
  server.join();
}

TEST_F(Later, WhoServesWritesWhatComesAfterItHasWritten) {
  std::thread server([&] { later_.serve(store_); });
  for (const char* each : {"a", "b"}) {
    ASSERT_TRUE(add(each).ok());
    later_.wake();
    while (told().find(each) == std::string::npos) std::this_thread::yield();
  }
  later_.stop();
  server.join();
  EXPECT_EQ(told(), " a b ");
}

TEST_F(Later, WhatIsNotYetWrittenIsToldOfAsUnsettled) {
  ASSERT_TRUE(later_.settle(store_).ok());  // there is nothing
  store_.full = true;
  EXPECT_FALSE(add("a").ok());
  EXPECT_EQ(later_.settle(store_).error().reason, "STORE_FULL");
  store_.full = false;
  EXPECT_TRUE(later_.settle(store_).ok());
  EXPECT_EQ(told(), " a ");
}

TEST_F(Later, AStoreThatRefusesIsToldAndLosesNothing) {
  store_.full = true;
  EXPECT_EQ(add("a").error().reason, "STORE_FULL");
  EXPECT_EQ(later_.check(store_).error().reason, "STORE_FULL");
  EXPECT_EQ(told(), " ");
  store_.full = false;
  EXPECT_TRUE(later_.check(store_).ok());
  ASSERT_TRUE(add("b").ok());
  EXPECT_EQ(told(), " a b ");
}

}  // namespace
}  // namespace paddock::api

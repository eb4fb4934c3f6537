#include "controller/api/audit_queue.h"

#include <atomic>
#include <thread>

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
  Status check_writable() override { return real_->check_writable(); }
  std::atomic<bool> full{false};

 private:
  std::unique_ptr<store::Store> real_ = store::Store::open({}).value();
};

class Queue : public testing::Test {
 protected:
  Status add(const std::string& subject) {
    contracts::AuditEvent event;
    event.type = contracts::audit::kExecuteRequest;
    event.subject = subject;
    return queue_.add(store_, {std::move(event)});
  }
  std::string told() {
    std::string out;
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
  AuditQueue queue_;
};

TEST_F(Queue, WhileNobodyServesTheCallerWrites) {
  ASSERT_TRUE(add("a").ok());
  ASSERT_TRUE(add("b").ok());
  EXPECT_EQ(told(), "a b ");
}

TEST_F(Queue, WhatWasAddedIsThereInOrderWhenItHasStopped) {
  std::thread server([&] { queue_.serve(store_); });
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(add(std::to_string(i)).ok());
    expected += cat(i, " ");
  }
  queue_.stop();
  server.join();
  EXPECT_EQ(told(), expected);
  ASSERT_TRUE(add("after").ok());
  EXPECT_EQ(told(), expected + "after ");
}

TEST_F(Queue, AStoreThatRefusesIsToldAndLosesNothing) {
  store_.full = true;
  EXPECT_EQ(add("a").error().reason, "STORE_FULL");
  EXPECT_EQ(queue_.check(store_).error().reason, "STORE_FULL");
  EXPECT_EQ(told(), "");
  store_.full = false;
  EXPECT_TRUE(queue_.check(store_).ok());
  ASSERT_TRUE(add("b").ok());
  EXPECT_EQ(told(), "a b ");
}

}  // namespace
}  // namespace paddock::api

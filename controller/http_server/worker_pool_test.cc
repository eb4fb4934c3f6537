#include "controller/http_server/worker_pool.h"

#include <memory>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "controller/http_server/server_fixture.h"
#include "controller/http_server/stop_signal.h"

namespace paddock::http_server {
namespace {

class WorkerPoolTest : public testing::Test {
 protected:
  WorkerPool pool_{StopSignal::make_event().value()};
};

TEST_F(WorkerPoolTest, WorkThatBlocksHoldsUpNobody) {
  Tally released;
  Tally waiting;
  Tally done;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(pool_.run([&] {
      waiting.add();
      EXPECT_TRUE(released.wait_until(1));
      done.add();
    }));
  }
  EXPECT_TRUE(waiting.wait_until(20));
  ASSERT_TRUE(pool_.run([&] { released.add(); }));
  EXPECT_TRUE(done.wait_until(20));
  pool_.stop();
}

TEST_F(WorkerPoolTest, OnePieceOfWorkAfterAnotherNeedsFewThreads) {
  Guarded<std::set<std::thread::id>> seen;
  Tally done;
  for (int i = 1; i <= 200; ++i) {
    ASSERT_TRUE(pool_.run([&] {
      seen.with([](auto& ids) { ids.insert(std::this_thread::get_id()); });
      done.add();
    }));
    ASSERT_TRUE(done.wait_until(i));
  }
  pool_.stop();
  EXPECT_LT(seen.with([](auto& ids) { return ids.size(); }), 100u);
}

TEST_F(WorkerPoolTest, WhatWorkOwnsGoesWithIt) {
  Tally gone;
  for (int i = 1; i <= 3; ++i) {  // of a new thread, and of one that is there
    ASSERT_TRUE(pool_.run(
        [owned = std::shared_ptr<void>(nullptr, [&](void*) { gone.add(); })] { (void)owned; }));
    EXPECT_TRUE(gone.wait_until(i));
  }
  pool_.stop();
}

TEST_F(WorkerPoolTest, StopWaitsForWorkAndMayComeAgain) {
  Tally begun;
  Tally released;
  bool done = false;
  ASSERT_TRUE(pool_.run([&] {
    begun.add();
    EXPECT_TRUE(released.wait_until(1));
    done = true;
  }));
  ASSERT_TRUE(begun.wait_until(1));
  std::thread release([&] { released.add(); });
  pool_.stop();
  release.join();
  EXPECT_TRUE(done);
  pool_.stop();
}

}  // namespace
}  // namespace paddock::http_server

#include "controller/events/notifier.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "controller/events/topic_listener.h"
#include "controller/store/store.h"

namespace paddock::events {
namespace {

constexpr Millis kLong{60'000};

TEST(Notifier, AChangeBetweenTheReadAndTheWaitIsNotMissed) {
  Notifier notifier;
  const uint64_t seen = notifier.version("run/a");
  notifier.notify({"run/a"});
  EXPECT_TRUE(notifier.wait("run/a", seen, kLong));
  EXPECT_FALSE(notifier.wait("run/a", notifier.version("run/a"), Millis(0)));
}

TEST(Notifier, WakesEveryWaiterOfATopic) {
  Notifier notifier;
  const uint64_t seen = notifier.version("run/a");
  std::atomic<int> woken{0};
  std::vector<std::thread> waiters;
  for (int i = 0; i < 4; ++i) {
    waiters.emplace_back([&] { woken += notifier.wait("run/a", seen, kLong) ? 1 : 0; });
  }
  notifier.notify({"run/a"});
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(woken, 4);
}

TEST(Notifier, WakesThoseOfAllTopics) {
  Notifier notifier;
  const uint64_t one = notifier.version("run/a");
  const uint64_t other = notifier.version("kind/Node");
  notifier.notify_all();
  EXPECT_TRUE(notifier.wait("run/a", one, kLong));
  EXPECT_TRUE(notifier.wait("kind/Node", other, kLong));
}

TEST(Notifier, StopsWaitingWhenTheCallerIsGone) {
  Notifier notifier;
  Waiter waiter({[] { return false; }, {}});
  EXPECT_FALSE(notifier.wait("run/a", notifier.version("run/a"), kLong, waiter));
}

TEST(Notifier, AWordThatTheClientIsGoneEndsTheWaitAndThoseAfterIt) {
  Notifier notifier;
  std::atomic<bool> here{true};
  std::function<void()> wake;
  Waiter waiter({[&] { return here.load(); },
                 [&](std::function<void()> told) {
                   wake = std::move(told);
                   return std::make_shared<int>();
                 }});
  std::thread client([&] {
    here = false;
    wake();
  });
  EXPECT_FALSE(notifier.wait("run/a", notifier.version("run/a"), kLong, waiter));
  client.join();
  EXPECT_TRUE(waiter.gone());
  EXPECT_FALSE(notifier.wait("run/a", notifier.version("run/a"), kLong, waiter));
  const uint64_t seen = notifier.version("run/a");
  notifier.notify({"run/a"});
  EXPECT_TRUE(notifier.wait("run/a", seen, kLong, waiter)) << "what happened is told all the same";
}

TEST(Notifier, ARingThatComesLateWakesNobodyForNothing) {
  Notifier notifier;
  Waiter waiter;
  waiter.wakeup()->wake();  // of a wait that is over
  EXPECT_FALSE(notifier.wait("run/a", notifier.version("run/a"), Millis(1), waiter));
  waiter.wakeup()->wake();
  const uint64_t seen = notifier.version("run/a");
  std::thread change([&] { notifier.notify({"run/a"}); });
  EXPECT_TRUE(notifier.wait("run/a", seen, kLong, waiter));
  change.join();
}

TEST(Notifier, ShutdownEndsEveryWaitNowAndLater) {
  Notifier notifier;
  std::thread waiter(
      [&] { EXPECT_FALSE(notifier.wait("run/a", notifier.version("run/a"), kLong)); });
  notifier.shutdown();
  waiter.join();
  EXPECT_TRUE(notifier.stopped());
  EXPECT_FALSE(notifier.wait("run/b", notifier.version("run/b"), kLong));
}

struct CountingWaker final : Waker {
  void wake() override { ++calls; }
  std::atomic<int> calls{0};
};

TEST(TopicListener, RingsAtOnceForWhatHappenedBetweenTheReadAndTheListening) {
  Notifier notifier;
  TopicListener listener(notifier, "run/a");
  const auto waker = std::make_shared<CountingWaker>();
  const uint64_t seen = listener.version();
  notifier.notify({"run/a"});
  listener.listen(seen, waker);
  EXPECT_EQ(waker->calls, 1);
  listener.listen(listener.version(), waker);
  EXPECT_EQ(waker->calls, 1);
}

TEST(TopicListener, RingsOnceForEachListeningHoweverOftenItIsRepeated) {
  Notifier notifier;
  TopicListener listener(notifier, "run/a");
  const auto waker = std::make_shared<CountingWaker>();
  listener.listen(listener.version(), waker);
  listener.listen(listener.version(), waker);
  notifier.notify({"run/a"});
  notifier.notify({"run/a"});
  EXPECT_EQ(waker->calls, 1);
}

TEST(TopicListener, LeavesNothingBehind) {
  Notifier notifier;
  const auto waker = std::make_shared<CountingWaker>();
  {
    TopicListener listener(notifier, "run/a");
    listener.listen(listener.version(), waker);
  }
  EXPECT_EQ(waker.use_count(), 1);
  notifier.notify({"run/a"});
  EXPECT_EQ(waker->calls, 0);
}

TEST(TopicListener, HearsOfTheShutdownNowAndLater) {
  Notifier notifier;
  TopicListener listener(notifier, "run/a");
  const auto waker = std::make_shared<CountingWaker>();
  listener.listen(listener.version(), waker);
  notifier.shutdown();
  EXPECT_EQ(waker->calls, 1);
  EXPECT_TRUE(listener.stopped());
  listener.listen(listener.version(), waker);
  EXPECT_EQ(waker->calls, 2);
}

TEST(Notifier, HearsTheStoreThroughOnCommit) {
  Notifier notifier;
  store::StoreOptions options;
  options.on_commit = [&](const std::vector<std::string>& topics) { notifier.notify(topics); };
  const auto opened = store::Store::open(options);
  const uint64_t seen = notifier.version(store::kSchedulerTopic);
  ASSERT_TRUE((*opened)
                  ->write([](store::WriteTxn& txn) -> Status {
                    txn.touch(store::kSchedulerTopic);
                    return {};
                  })
                  .ok());
  EXPECT_TRUE(notifier.wait(store::kSchedulerTopic, seen, kLong));
}

}  // namespace
}  // namespace paddock::events

// Who is resumed, by what, and that it is once.
#include "controller/http_server/idle_poller.h"

#include <sys/socket.h>

#include <atomic>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/units.h"
#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {
namespace {

using testing::ElementsAre;
using Interest = IdlePoller::Interest;
using Reason = IdlePoller::Reason;

constexpr int64_t kLongMs = 3'600'000;

struct Pair {
  Pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) ::abort();
    server = os::Fd(ends[0]);
    client = os::Fd(ends[1]);
  }
  void say() const { EXPECT_EQ(::send(client.get(), "x", 1, MSG_NOSIGNAL), 1); }
  void hear() const {
    char byte = 0;
    EXPECT_EQ(::recv(server.get(), &byte, 1, 0), 1);
  }
  os::Fd server;
  os::Fd client;
};

class IdlePollerTest : public testing::Test {
 protected:
  ~IdlePollerTest() override { stop(); }
  void stop() {
    stop_.raise();
    if (polling_.joinable()) polling_.join();
  }
  bool park(const Pair& pair, int64_t ms, const std::string& name) {
    return park_for(Interest::kReadable, pair, ms, name).has_value();
  }
  std::optional<uint64_t> park_for(Interest interest, const Pair& pair, int64_t ms,
                                   const std::string& name) {
    return poller_.park(pair.server.get(), interest, Deadline::in_ms(ms),
                        [this, name](Reason reason) {
                          told_.with([&](auto& told) { told.emplace_back(name, reason); });
                          resumed_.add();
                        });
  }
  std::vector<std::pair<std::string, Reason>> told() {
    return told_.with([](auto& told) { return told; });
  }

  Tally resumed_;
  Guarded<std::vector<std::pair<std::string, Reason>>> told_;
  StopSignal stop_{StopSignal::make_event().value()};
  IdlePoller poller_{IdlePoller::make_poll().value(), StopSignal::make_event().value(), stop_};
  std::promise<void> ended_;
  std::thread polling_{[this] {
    poller_.poll_until_stopped();
    ended_.set_value();
  }};
};

TEST_F(IdlePollerTest, WhatIsThereAlreadyIsToldOnce) {
  const Pair one;
  one.say();
  ASSERT_TRUE(park(one, kLongMs, "one"));
  ASSERT_TRUE(resumed_.wait_until(1));
  one.say();
  one.hear();
  one.hear();
  ASSERT_TRUE(park(one, kLongMs, "again"));
  EXPECT_EQ(poller_.parked(), 1u) << "nothing is left to read, and what was told is not told again";
  one.say();
  ASSERT_TRUE(resumed_.wait_until(2));
  EXPECT_THAT(told(),
              ElementsAre(std::pair("one", Reason::kReady), std::pair("again", Reason::kReady)));
}

TEST_F(IdlePollerTest, TheEarlierDeadlineIsToldFirstAlsoWhenItCameLater) {
  const Pair late;
  const Pair early;
  for (const int64_t late_ms : {200, 60'000}) {
    told_.with([](auto& told) { told.clear(); });
    const int before = resumed_.count();
    const Deadline of_late = Deadline::in_ms(late_ms);
    ASSERT_TRUE(park(late, late_ms, "late"));
    ASSERT_TRUE(park(early, 1, "early"));
    // Unless this thread was given no processor meanwhile.
    const bool is_earlier = Deadline::in_ms(1) < of_late;
    ASSERT_TRUE(resumed_.wait_until(before + 2));
    EXPECT_EQ(poller_.parked(), 0u);
    if (!is_earlier) continue;
    EXPECT_THAT(told(), ElementsAre(std::pair("early", Reason::kDeadline),
                                    std::pair("late", Reason::kDeadline)));
    return;
  }
  ADD_FAILURE() << "there was no time to park two";
}

TEST_F(IdlePollerTest, AnEventOfAnEarlierTurnWakesNobody) {
  const Pair one;
  ASSERT_TRUE(park(one, 0, "first"));
  ASSERT_TRUE(resumed_.wait_until(1));
  one.say();  // to a descriptor that the kernel still watches for the first turn
  const Pair other;
  other.say();
  ASSERT_TRUE(park(other, kLongMs, "other"));
  ASSERT_TRUE(resumed_.wait_until(2));
  ASSERT_TRUE(park(one, kLongMs, "second"));
  ASSERT_TRUE(resumed_.wait_until(3));
  EXPECT_THAT(told(),
              ElementsAre(std::pair("first", Reason::kDeadline), std::pair("other", Reason::kReady),
                          std::pair("second", Reason::kReady)));
}

TEST_F(IdlePollerTest, ADescriptorWhoseNumberComesRoundIsAnother) {
  for (int turn = 1; turn <= 50; ++turn) {
    const Pair one;  // closed at the end of each turn, with its deadline over or its byte unread
    if (turn % 2 == 0) one.say();
    ASSERT_TRUE(park(one, turn % 2 == 0 ? kLongMs : 0, cat(turn)));
    ASSERT_TRUE(resumed_.wait_until(turn));
    EXPECT_EQ(told().back().first, cat(turn));
  }
}

TEST_F(IdlePollerTest, AWakeResumesOnceAndOnlyWhomItWasMeantFor) {
  const Pair one;
  const auto first = park_for(Interest::kHangUp, one, kLongMs, "first");
  ASSERT_TRUE(first);
  poller_.wake(*first);
  const auto second = park_for(Interest::kHangUp, one, kLongMs, "second");
  ASSERT_TRUE(second);
  poller_.wake(*first);
  EXPECT_EQ(poller_.parked(), 1u);
  poller_.wake(*second);
  poller_.wake(*second);
  EXPECT_THAT(told(),
              ElementsAre(std::pair("first", Reason::kWoken), std::pair("second", Reason::kWoken)));
}

TEST_F(IdlePollerTest, WhoWaitsForAHangUpHearsNothingOfBytes) {
  const Pair one;
  one.say();
  ASSERT_TRUE(park_for(Interest::kHangUp, one, 1, "bytes"));
  ASSERT_TRUE(resumed_.wait_until(1));
  ASSERT_EQ(::shutdown(one.client.get(), SHUT_WR), 0);
  ASSERT_TRUE(park_for(Interest::kHangUp, one, kLongMs, "hang-up"));
  ASSERT_TRUE(resumed_.wait_until(2));
  EXPECT_THAT(told(), ElementsAre(std::pair("bytes", Reason::kDeadline),
                                  std::pair("hang-up", Reason::kReady)));
}

TEST_F(IdlePollerTest, WhoWaitsForRoomHearsNothingOfAClientThatSendsNoMore) {
  const Pair one;
  ASSERT_EQ(::shutdown(one.client.get(), SHUT_WR), 0);
  const std::string bytes(1 << 16, 'x');
  while (::send(one.server.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
  }
  ASSERT_TRUE(park_for(Interest::kWritable, one, 1, "full"));
  ASSERT_TRUE(resumed_.wait_until(1));
  ASSERT_TRUE(park_for(Interest::kWritable, one, kLongMs, "room"));
  std::string read(1 << 16, 0);
  while (::recv(one.client.get(), read.data(), read.size(), MSG_DONTWAIT) > 0) {
  }
  ASSERT_TRUE(resumed_.wait_until(2));
  EXPECT_THAT(told(),
              ElementsAre(std::pair("full", Reason::kDeadline), std::pair("room", Reason::kReady)));
}

TEST_F(IdlePollerTest, TheStopResumesAllAndTakesNoMore) {
  const Pair one;
  const Pair two;
  ASSERT_TRUE(park(one, kLongMs, "one"));
  ASSERT_TRUE(park(two, kLongMs, "two"));
  stop();
  EXPECT_THAT(told(), ElementsAre(std::pair("one", Reason::kStopping),
                                  std::pair("two", Reason::kStopping)));
  EXPECT_FALSE(park(one, 0, "late"));
  EXPECT_EQ(resumed_.count(), 2);
}

// Who wakes it may be held up between taking it out and resuming it, and the server must not go
// meanwhile.
TEST_F(IdlePollerTest, TheStopWaitsForAResumeThatIsUnderWayElsewhere) {
  const Pair one;
  Tally entered;
  std::atomic<bool> over{false};
  const auto id =
      poller_.park(one.server.get(), Interest::kHangUp, Deadline::in_ms(kLongMs), [&](Reason) {
        entered.add();
        EXPECT_EQ(ended_.get_future().wait_for(Millis(100)), std::future_status::timeout);
        over = true;
      });
  ASSERT_TRUE(id);
  std::thread ringer([&] { poller_.wake(*id); });
  EXPECT_TRUE(entered.wait_until(1));
  stop();
  EXPECT_TRUE(over);
  ringer.join();
}

TEST_F(IdlePollerTest, WhatTheKernelDoesNotWatchIsNotTaken) {
  Pair closed;
  closed.server.reset();
  EXPECT_FALSE(park(closed, kLongMs, "closed"));
  EXPECT_EQ(poller_.parked(), 0u);
}

}  // namespace
}  // namespace paddock::http_server

// Wherever a ring falls, its connection looks once more.
#include "controller/http_server/parking_waker.h"

#include <sys/socket.h>

#include <thread>

#include <gtest/gtest.h>

#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {
namespace {

using Parking = ParkingBell::Parking;

class ParkingBellTest : public testing::Test {
 protected:
  ParkingBellTest() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) ::abort();
    server_ = os::Fd(ends[0]);
    client_ = os::Fd(ends[1]);
  }
  ~ParkingBellTest() override {
    stop_.raise();
    polling_.join();
  }
  Parking park() {
    constexpr int64_t kHourMs = 3'600'000;
    return bell_.park(server_.get(), Deadline::in_ms(kHourMs), [this](IdlePoller::Reason reason) {
      EXPECT_EQ(reason, expected_);
      resumed_.add();
    });
  }

  os::Fd server_;
  os::Fd client_;
  Tally resumed_;
  IdlePoller::Reason expected_ = IdlePoller::Reason::kWoken;
  StopSignal stop_{StopSignal::make_event().value()};
  IdlePoller poller_{IdlePoller::make_poll().value(), StopSignal::make_event().value(), stop_};
  ParkingBell bell_{poller_};
  std::thread polling_{[this] { poller_.poll_until_stopped(); }};
};

TEST_F(ParkingBellTest, ARingWhileTheConnectionIsAtWorkKeepsItFromParking) {
  bell_.begin();
  bell_.ring();
  bell_.ring();
  EXPECT_EQ(park(), Parking::kRung);
  EXPECT_EQ(park(), Parking::kRung) << "until it looks";
  bell_.begin();
  EXPECT_EQ(park(), Parking::kParked);
  EXPECT_EQ(resumed_.count(), 0);
  bell_.ring();
}

TEST_F(ParkingBellTest, ARingWhileItIsParkedResumesItOnce) {
  EXPECT_EQ(park(), Parking::kParked);
  bell_.ring();
  EXPECT_EQ(resumed_.count(), 1);
  bell_.ring();
  EXPECT_EQ(resumed_.count(), 1);
  EXPECT_EQ(park(), Parking::kRung) << "the second came before it looked";
}

TEST_F(ParkingBellTest, WhoWasResumedByAnotherIsNotWokenByARing) {
  expected_ = IdlePoller::Reason::kReady;
  EXPECT_EQ(park(), Parking::kParked);
  client_.reset();
  ASSERT_TRUE(resumed_.wait_until(1));
  bell_.begin();
  bell_.ring();
  EXPECT_EQ(resumed_.count(), 1);
}

TEST_F(ParkingBellTest, NobodyParksOnceTheServerStops) {
  expected_ = IdlePoller::Reason::kStopping;
  stop_.raise();
  while (park() != Parking::kRefused) {  // the poller has not seen it yet
    ASSERT_TRUE(resumed_.wait_until(1));
  }
  bell_.ring();
}

}  // namespace
}  // namespace paddock::http_server

// Whenever a wake() comes, its connection looks once more.
#include "controller/http_server/parking_waker.h"

#include <sys/socket.h>

#include <thread>

#include <gtest/gtest.h>

#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {
namespace {

using Parking = ParkingWaker::Parking;

class ParkingWakerTest : public testing::Test {
 protected:
  ParkingWakerTest() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) ::abort();
    server_ = os::Fd(ends[0]);
    client_ = os::Fd(ends[1]);
  }
  ~ParkingWakerTest() override {
    stop_.raise();
    polling_.join();
  }
  Parking park() {
    constexpr int64_t kHourMs = 3'600'000;
    return waker_.park(server_.get(), Deadline::in_ms(kHourMs), [this](IdlePoller::Reason reason) {
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
  ParkingWaker waker_{poller_};
  std::thread polling_{[this] { poller_.poll_until_stopped(); }};
};

TEST_F(ParkingWakerTest, AWakeWhileTheConnectionIsAtWorkKeepsItFromParking) {
  waker_.begin();
  waker_.wake();
  waker_.wake();
  EXPECT_EQ(park(), Parking::kWoken);
  EXPECT_EQ(park(), Parking::kWoken) << "until it looks";
  waker_.begin();
  EXPECT_EQ(park(), Parking::kParked);
  EXPECT_EQ(resumed_.count(), 0);
  waker_.wake();
}

TEST_F(ParkingWakerTest, AWakeWhileItIsParkedResumesItOnce) {
  EXPECT_EQ(park(), Parking::kParked);
  waker_.wake();
  EXPECT_EQ(resumed_.count(), 1);
  waker_.wake();
  EXPECT_EQ(resumed_.count(), 1);
  EXPECT_EQ(park(), Parking::kWoken) << "the second came before it looked";
}

TEST_F(ParkingWakerTest, WhoWasResumedByAnotherIsNotWokenOnceMore) {
  expected_ = IdlePoller::Reason::kReady;
  EXPECT_EQ(park(), Parking::kParked);
  client_.reset();
  ASSERT_TRUE(resumed_.wait_until(1));
  waker_.begin();
  waker_.wake();
  EXPECT_EQ(resumed_.count(), 1);
}

TEST_F(ParkingWakerTest, NobodyParksOnceTheServerStops) {
  expected_ = IdlePoller::Reason::kStopping;
  stop_.raise();
  while (park() != Parking::kRefused) {  // the poller has not seen it yet
    ASSERT_TRUE(resumed_.wait_until(1));
  }
  waker_.wake();
}

}  // namespace
}  // namespace paddock::http_server

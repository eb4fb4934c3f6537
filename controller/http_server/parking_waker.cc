#include "controller/http_server/parking_waker.h"

#include <utility>

namespace paddock::http_server {

// With the lock: see begin(). What is resumed only queues the next step, and takes no lock of ours.
void ParkingWaker::wake() {
  state_.with([this](State& state) {
    if (state.parked) {
      poller_.wake(*std::exchange(state.parked, std::nullopt));
    } else {
      state.woken = true;
    }
  });
}

void ParkingWaker::begin() {
  state_.with([](State& state) { state = State(); });
}

// With the lock, so that wake() finds the connection either at work or parked. It may be resumed,
// by others than wake(), before this returns.
ParkingWaker::Parking ParkingWaker::park(int connection, Deadline until,
                                         IdlePoller::Resume resume) {
  return state_.with([&](State& state) {
    if (state.woken) return Parking::kWoken;
    state.parked =
        poller_.park(connection, IdlePoller::Interest::kHangUp, until, std::move(resume));
    return state.parked ? Parking::kParked : Parking::kRefused;
  });
}

}  // namespace paddock::http_server

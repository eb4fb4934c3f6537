// The waker of one answer that is made by steps: wake() takes its connection out of the poller, or,
// while the connection is at work, has it work once more. So no wake() is lost, whenever it comes:
//  - a step begins after begin(), so it sees what any wake() before that was about;
//  - a wake() after begin() is kept, and park() finds it;
//  - a wake() after park() finds the connection parked, and resumes it.
// And none comes late: while wake() resumes a connection, begin() waits. So whoever has called
// begin() since the last park() may let the connection and its poller go. A wake() that took the
// connection out and has not resumed it yet is waited for by poll_until_stopped(). Thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/guarded.h"
#include "controller/base/waker.h"
#include "controller/http_server/idle_poller.h"

namespace paddock::http_server {

class ParkingWaker final : public Waker {
 public:
  // The poller outlives the answer, but not every wake().
  explicit ParkingWaker(IdlePoller& poller) : poller_(poller) {}
  void wake() override;
  // The thread that was resumed calls it, before it looks at what there is.
  void begin();

  enum class Parking {
    kParked,   // the connection is the poller's now, and `resume` will be called
    kWoken,    // look again
    kRefused,  // the kernel has no room, or the server stops
  };
  // Until wake(), until the client hangs up, or until `until`.
  Parking park(int connection, Deadline until, IdlePoller::Resume resume);

 private:
  struct State {
    bool woken = false;
    std::optional<uint64_t> parked;
  };
  IdlePoller& poller_;
  Guarded<State> state_;
};

}  // namespace paddock::http_server

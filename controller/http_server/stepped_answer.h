// What is left of an answer that steps make: what they wrote and was not sent yet, and the next
// step. Holds the answer's permit until its end. One thread at a time, and none between two turns.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "controller/http_server/http_message.h"
#include "controller/http_server/idle_poller.h"
#include "controller/http_server/parking_waker.h"
#include "controller/http_server/transport.h"

namespace paddock::http_server {

// What a connection that is not at its end comes to, when somebody saw to it.
struct Turn {
  enum class Then {
    kAgain,   // there is more to say
    kWait,    // until the waker is called, its client hangs up, or `until`
    kUnsent,  // until its client is ready as `interest` says; at `until` it was too slow
    kDue,     // the answer seems due: that is settled, and it is made, on a thread that may block
    kSent,    // all of the answer went out
    kBroken,  // the connection cannot be used again
  };
  Then then;
  std::optional<Deadline> until = {};
  IdlePoller::Interest interest = IdlePoller::Interest::kHangUp;
};

class SteppedAnswer {
 public:
  SteppedAnswer(std::shared_ptr<Steps> steps, std::shared_ptr<void> held, IdlePoller& poller)
      : held_(std::move(held)),
        steps_(std::move(steps)),
        waker_(std::make_shared<ParkingWaker>(poller)) {}

  // Sends what is unsent, and where all of it went makes the next step, or asks where asks() was
  // true. It ends without one when the client is gone or the server stops. Blocks only if it asks.
  Turn turn(Transport& transport);
  // Whether the next turn asks what may block: nothing is unsent, and the last step called for it.
  bool asks() const { return ask_next_ && unsent_.empty(); }
  // Ends it here, with the last chunk. Blocks for a client that does not read, as an answer that is
  // written on a thread does. Whether all went out.
  bool finish(Transport& transport);
  // To park with: by then the answer may be another thread's, and over.
  std::shared_ptr<ParkingWaker> waker() const { return waker_; }

 private:
  // Nothing: all of it went.
  std::optional<Turn> flush(Transport& transport);
  std::optional<Steps::Next> step(Transport& transport, bool ask);

  const std::shared_ptr<void> held_;
  const std::shared_ptr<Steps> steps_;  // goes before what it holds
  const std::shared_ptr<ParkingWaker> waker_;
  std::string unsent_;
  size_t sent_ = 0;                   // of it
  size_t since_ = 0;                  // bytes sent since write_by_ was set
  std::optional<Deadline> write_by_;  // while there is something unsent
  bool ask_next_ = false;
  bool ended_ = false;  // the last chunk was written
};

}  // namespace paddock::http_server

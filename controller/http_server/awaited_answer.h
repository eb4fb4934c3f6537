// An answer that its handler could not give yet, on a connection that holds no thread meanwhile.
// One thread at a time.
#pragma once

#include <memory>
#include <string>

#include "controller/http_server/codec.h"
#include "controller/http_server/http_message.h"
#include "controller/http_server/parking_waker.h"
#include "controller/http_server/stepped_answer.h"

namespace paddock::http_server {

// The parts of a request that its answer depends on.
struct Asked {
  AnswerForm form;
  std::string origin;    // of the page that asks, if the operator named it
  bool settled = false;  // all of its body was read
};

class AwaitedAnswer {
 public:
  AwaitedAnswer(std::shared_ptr<HeldAnswer> held, Asked asked, IdlePoller& poller)
      : held_(std::move(held)),
        asked_(std::move(asked)),
        waker_(std::make_shared<ParkingWaker>(poller)) {}
  // kWait, or kDue. Does not block.
  Turn turn(const Transport& transport);
  // Whether it is due, after a turn said so. May block. False: it takes turns again.
  bool settle(const Transport& transport);
  // Once, when it is due. May block.
  Response make();
  const Asked& asked() const { return asked_; }
  std::shared_ptr<ParkingWaker> waker() const { return waker_; }

 private:
  std::shared_ptr<HeldAnswer> held_;
  Asked asked_;
  std::shared_ptr<ParkingWaker> waker_;
};

}  // namespace paddock::http_server

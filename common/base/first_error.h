// The first error of several threads that share some work: once there is one, the others begin
// nothing more. Any thread.
#pragma once

#include <atomic>
#include <utility>

#include "common/base/guarded.h"
#include "common/base/result.h"

namespace paddock {

class FirstError {
 public:
  // Keeps an error if it is the first; success changes nothing.
  void keep(Status status) {
    if (status.ok()) return;
    failed_ = true;
    first_.with([&](Status& first) {
      if (first.ok()) first = std::move(status);
    });
  }
  // Cheap: asked before each piece of the work.
  bool failed() const { return failed_; }
  // The first error of the threads that have ended so far.
  Status status() const {
    return first_.with([](const Status& first) { return first; });
  }

 private:
  std::atomic<bool> failed_{false};
  Guarded<Status> first_;
};

}  // namespace paddock

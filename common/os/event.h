// Something that has happened, for who waits with poll(): readable from raise() until clear(). Any
// thread.
#pragma once

#include "common/os/fd.h"

namespace paddock::os {

class Event {
 public:
  Event();  // not valid() if the process has no descriptor left: poll() passes over it
  bool valid() const { return readable_.valid(); }
  int fd() const { return readable_.get(); }
  void raise() const;
  void clear() const;

 private:
  Fd readable_;
  Fd writable_;  // none where one descriptor is both
};

}  // namespace paddock::os

// Tells somebody that what they wait for may have happened. Who listens looks again; a call says no
// more than that, and one too many costs a look.
#pragma once

namespace paddock {

class Waker {
 public:
  virtual ~Waker() = default;
  // Any thread, at any time, with no lock held that the listener takes. Returns quickly.
  virtual void wake() = 0;

 protected:
  Waker() = default;
  Waker(const Waker&) = default;
  Waker& operator=(const Waker&) = default;
};

}  // namespace paddock

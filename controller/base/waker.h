// Tells somebody that what they wait for may have happened. Who listens looks again; a ring says no
// more than that, and a ring too many costs a look.
#pragma once

namespace paddock {

class Bell {
 public:
  virtual ~Bell() = default;
  // Any thread, at any time, with no lock held that the listener takes. Returns quickly.
  virtual void ring() = 0;

 protected:
  Bell() = default;
  Bell(const Bell&) = default;
  Bell& operator=(const Bell&) = default;
};

}  // namespace paddock

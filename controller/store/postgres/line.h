// A connection that one thread uses and another one may have to break off. Thread-safe.
#pragma once

#include "common/base/guarded.h"
#include "controller/store/postgres/connection.h"

namespace paddock::store::postgres {

class Line {
 public:
  // Null before the connection is let go of.
  void put(const Connection* connection) {
    connection_.with([&](const Connection*& now) { now = connection; });
  }
  void hang_up() {
    connection_.with([](const Connection* now) {
      if (now != nullptr) now->hang_up();
    });
  }

 private:
  Guarded<const Connection*> connection_{nullptr};
};

}  // namespace paddock::store::postgres

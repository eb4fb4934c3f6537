// Connections for reading, no more than so many: whoever finds all of them in use waits for one.
#pragma once

#include <condition_variable>
#include <memory>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "controller/store/postgres/connection.h"

namespace paddock::store::postgres {

class ReaderPool {
 public:
  ReaderPool(Target target, std::string name, size_t most)
      : target_(std::move(target)), name_(std::move(name)), most_(most) {}

  // STORE_BUSY when none is free in time; as Connection::open. Any thread.
  Result<std::unique_ptr<Connection>> take();
  // Null: it was lost. Each that was taken comes back.
  void give_back(std::unique_ptr<Connection> reader);

 private:
  struct State {
    std::vector<std::unique_ptr<Connection>> idle;
    size_t taken = 0;
  };
  const Target target_;
  const std::string name_;
  const size_t most_;
  Guarded<State> state_;
  std::condition_variable freed_;
};

}  // namespace paddock::store::postgres

// Connections for reading, no more than so many: whoever finds all of them in use waits for one.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "controller/store/postgres/connection.h"
#include "controller/store/sql/decoded_cache.h"
#include "controller/store/transaction.h"

namespace paddock::store::postgres {

class ReaderPool {
 public:
  ReaderPool(Target target, std::string name, size_t most)
      : target_(std::move(target)), name_(std::move(name)), most_(most) {}

  // In a snapshot of its own. STORE_BUSY when no connection is free in time; as Connection::open.
  // Any thread.
  Status read(sql::DecodedCache& cache, const std::function<Status(ReadTxn&)>& look);

 private:
  Result<std::unique_ptr<Connection>> take();
  // Null: it was lost. Each that was taken comes back.
  void give_back(std::unique_ptr<Connection> reader);

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

// Connections for reading, no more than so many: a reader that finds all of them in use waits for
// one.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "controller/store/postgres/connection.h"
#include "controller/store/sql/decoded_cache.h"
#include "controller/store/transaction.h"

namespace paddock::store::postgres {

class ReaderPool {
 public:
  // `patience`: with one answer; none: as long as a statement may take.
  ReaderPool(Target target, std::string name, size_t most, std::optional<Millis> patience = {})
      : target_(std::move(target)), name_(std::move(name)), most_(most), patience_(patience) {}

  // Runs `look` in a transaction with a snapshot of its own. STORE_BUSY when no connection is free
  // in time; other errors as Connection::open. Any thread.
  Status read(sql::DecodedCache& cache, const std::function<Status(ReadTxn&)>& look);
  // Ends the reads that are under way: they get no answer any more. Any thread.
  void hang_up();

 private:
  class Turn;
  Result<std::unique_ptr<Connection>> take();
  Result<std::unique_ptr<Connection>> connect();
  // Takes a connection back; null if it was lost. This is called once for each connection that was
  // taken, lost or not.
  void give_back(std::unique_ptr<Connection> reader);

  struct State {
    std::vector<std::unique_ptr<Connection>> idle;
    std::set<const Connection*> reading;
    size_t taken = 0;  // with those that are being made
  };
  const Target target_;
  const std::string name_;
  const size_t most_;
  const std::optional<Millis> patience_;
  Guarded<State> state_;
  std::condition_variable freed_;
};

}  // namespace paddock::store::postgres

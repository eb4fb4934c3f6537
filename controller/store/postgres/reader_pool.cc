#include "controller/store/postgres/reader_pool.h"

#include <chrono>
#include <utility>

#include "controller/store/sql/transaction.h"

namespace paddock::store::postgres {

namespace {
constexpr std::chrono::seconds kPatience{10};

// A transaction that does not end well is the end of its connection.
Status look_at(Connection& reader, sql::DecodedCache& cache,
               const std::function<Status(ReadTxn&)>& look) {
  TRY(reader.soon("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  sql::Transaction txn(reader, cache);
  Status seen = look(txn);
  const auto ended = reader.ask("COMMIT");
  if (seen.ok() && !ended.ok()) return ended.error();
  return seen;
}

}  // namespace

// One connection, in use. It comes back also from a look that throws (out of memory): hung up then,
// since its transaction has not ended.
class ReaderPool::Turn {
 public:
  Turn(ReaderPool& pool, std::unique_ptr<Connection> reader)
      : pool_(pool), reader_(std::move(reader)) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (!ended_) reader_->hang_up();
    pool_.give_back(std::move(reader_));
  }

  Status look(sql::DecodedCache& cache, const std::function<Status(ReadTxn&)>& look) {
    Status seen = look_at(*reader_, cache, look);
    ended_ = true;
    return seen;
  }

 private:
  ReaderPool& pool_;
  std::unique_ptr<Connection> reader_;
  bool ended_ = false;
};

Status ReaderPool::read(sql::DecodedCache& cache, const std::function<Status(ReadTxn&)>& look) {
  ASSIGN_OR_RETURN(auto reader, take());
  return Turn(*this, std::move(reader)).look(cache, look);
}

Result<std::unique_ptr<Connection>> ReaderPool::take() {
  std::unique_ptr<Connection> idle;
  const bool mine = state_.wait_for(
      freed_, kPatience, [&](const State& state) { return state.taken < most_; },
      [&](State& state, bool in_time) {
        if (!in_time) return false;
        ++state.taken;
        if (!state.idle.empty()) {
          idle = std::move(state.idle.back());
          state.idle.pop_back();
        }
        return true;
      });
  if (!mine)
    return Error{Code::kUnavailable, "STORE_BUSY",
                 "all connections to the database are in use; send it again"};
  if (!idle || idle->ended_by_server()) {
    auto made = connect();
    if (!made.ok()) {
      give_back(nullptr);
      return made;
    }
    idle = std::move(*made);
  }
  state_.with([&](State& state) { state.reading.insert(idle.get()); });
  return idle;
}

Result<std::unique_ptr<Connection>> ReaderPool::connect() {
  auto made = Connection::open(target_, name_);
  if (made.ok() && patience_) (*made)->give_up_after(*patience_);
  return made;
}

void ReaderPool::hang_up() {
  state_.with([](const State& state) {
    for (const Connection* each : state.reading) each->hang_up();
  });
}

void ReaderPool::give_back(std::unique_ptr<Connection> reader) {
  state_.with([&](State& state) {
    --state.taken;
    state.reading.erase(reader.get());
    if (reader && !reader->lost()) state.idle.push_back(std::move(reader));
  });
  freed_.notify_one();
}

}  // namespace paddock::store::postgres

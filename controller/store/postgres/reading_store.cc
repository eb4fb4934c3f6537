// The store of a controller that follows.
#include <utility>

#include "controller/store/follow.h"
#include "controller/store/postgres/leadership.h"
#include "controller/store/postgres/reader_pool.h"
#include "controller/store/postgres/target.h"

namespace paddock::store {
namespace {

// Whoever has had no answer for so long is sent to the leader.
constexpr Millis kPatience{10'000};

class ReadingStore final : public Store {
 public:
  ReadingStore(postgres::Target target, size_t most_readers)
      : readers_(std::move(target), postgres::kLookingName, most_readers, kPatience) {}

  Status write(const std::function<Status(WriteTxn&)>& /*change*/) override { return not_leader(); }
  Status read(const std::function<Status(ReadTxn&)>& look) override {
    return readers_.read(cache_, look);
  }
  Status check_writable() override { return not_leader(); }

 private:
  // Keeps nothing: a resource version names one state only to who leads, and hears of it when the
  // database was set back and numbers are given again.
  sql::DecodedCache cache_{0};
  postgres::ReaderPool readers_;
};

}  // namespace

Error not_leader() {
  return {Code::kUnavailable, "NOT_LEADER",
          "this controller is a standby and did nothing of this; ask the one that leads"};
}

Result<std::unique_ptr<Store>> open_to_read(const PostgresOptions& options) {
  ASSIGN_OR_RETURN(postgres::Target target, postgres::parse_target(options.url));
  return std::unique_ptr<Store>(new ReadingStore(std::move(target), options.most_readers));
}

}  // namespace paddock::store

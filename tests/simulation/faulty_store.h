// A store whose disk refuses writes now and then: before anything of a change is done, or when all
// of it is to be committed. Its faults are drawn from numbers of their own.
#pragma once

#include <memory>
#include <utility>

#include "common/base/random.h"
#include "controller/store/store.h"

namespace paddock::simulation {

class FaultyStore final : public store::Store {
 public:
  // `lies`: it does all of a change, says that it kept it, and did not. A bug, for the tests of the
  // invariants.
  FaultyStore(std::unique_ptr<store::Store> real, uint64_t seed, bool lies)
      : real_(std::move(real)), random_(seed), lies_(lies) {}

  void refuse(uint64_t percent) { percent_ = percent; }
  store::Store& sound() { return *real_; }  // the same, without faults

  Status write(const std::function<Status(store::WriteTxn&)>& change) override {
    if (random_.below(100) >= percent_) return real_->write(change);
    if (random_.below(2) == 0 && !lies_) return refusal();
    return answer(real_->write([&](store::WriteTxn& txn) -> Status {
      TRY(change(txn));
      return refusal();  // undoes it
    }));
  }
  Status read(const std::function<Status(store::ReadTxn&)>& look) override {
    return real_->read(look);
  }
  Result<std::optional<store::TokenRecord>> token_by_hash(const std::string& hash) override {
    return real_->token_by_hash(hash);
  }
  Status check_writable() override { return real_->check_writable(); }

  static bool is_refusal(const Status& status) {
    return !status.ok() && status.error().reason == "STORE_IO";
  }

 private:
  static Status refusal() {
    return Error{Code::kUnavailable, "STORE_IO", "the disk refused; nothing was kept"};
  }
  Status answer(Status status) const { return lies_ && is_refusal(status) ? Status() : status; }

  std::unique_ptr<store::Store> real_;
  SeededRandom random_;
  const bool lies_;
  uint64_t percent_ = 0;
};

}  // namespace paddock::simulation

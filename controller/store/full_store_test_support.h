// A store whose disk is full: only what frees something is written, in its reserve. For tests only.
#pragma once

#include <functional>

#include "controller/store/store.h"

namespace paddock::store {

class FullStore final : public Store {
 public:
  explicit FullStore(Store& real) : real_(real) {}
  Status write(const std::function<Status(WriteTxn&)>& change) override {
    return full ? refusal() : real_.write(change);
  }
  Status write_freeing(const std::function<Status(WriteTxn&)>& change, Frees what) override {
    return spent ? refusal() : real_.write_freeing(change, what);
  }
  Status read(const std::function<Status(ReadTxn&)>& look) override { return real_.read(look); }
  Status check_writable() override { return full ? refusal() : real_.check_writable(); }

  bool full = true;
  bool spent = false;  // the reserve too

 private:
  static Status refusal() { return Error{Code::kUnavailable, "STORE_FULL", "the disk is full"}; }
  Store& real_;
};

}  // namespace paddock::store

// What is wrong with the items of one list, told in one answer.
#pragma once

#include <optional>
#include <utility>

#include "common/base/fault_sentence.h"
#include "common/base/result.h"

namespace paddock {

// Collects the errors of a list's items: code, reason and message are the first one's, each cause
// is kept.
class ListFaults {
 public:
  void add(Error error) {
    ++count_;
    if (!all_) {
      all_ = std::move(error);
      return;
    }
    for (Cause& cause : error.causes) all_->causes.push_back(std::move(cause));
  }
  bool none() const { return count_ == 0; }
  // Success if there were none.
  Status status() && {
    if (none()) return {};
    all_->message += more_faults(count_);
    return std::move(*all_);
  }

 private:
  std::optional<Error> all_;
  size_t count_ = 0;
};

}  // namespace paddock

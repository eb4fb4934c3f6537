// What was refused during one run: each distinct attempt once, with a count, at most 256 of them.
#pragma once

#include <vector>

#include "common/contracts/sandbox_result.h"

namespace paddock::sandbox {

class DenialList {
 public:
  static constexpr size_t kMost = 256;
  void add(contracts::Denial denial);
  // The list; attempts beyond the bound are counted in one last entry.
  std::vector<contracts::Denial> take();

 private:
  std::vector<contracts::Denial> denials_;
  int64_t beyond_ = 0;
};

}  // namespace paddock::sandbox

#include "node-agent/sandbox/denials.h"

#include <utility>

namespace paddock::sandbox {

void DenialList::add(contracts::Denial denial) {
  for (contracts::Denial& known : denials_) {
    if (known.what == denial.what && known.target == denial.target &&
        known.executable == denial.executable) {
      ++known.count;
      return;
    }
  }
  if (denials_.size() < kMost) {
    denials_.push_back(std::move(denial));
  } else {
    ++beyond_;
  }
}

std::vector<contracts::Denial> DenialList::take() {
  if (beyond_ > 0) {
    contracts::Denial rest;
    rest.what = "further attempts";
    rest.rule = "the list keeps 256 distinct ones";
    rest.remedy = "see the entries above";
    rest.count = std::exchange(beyond_, 0);
    denials_.push_back(std::move(rest));
  }
  return std::exchange(denials_, {});
}

}  // namespace paddock::sandbox

// The refusals during one run. Each distinct attempt is listed once with a count, up to 256 of
// them. Further attempts are counted by their kind, so that a flood of one kind does not hide
// another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/sandbox_result.h"

namespace paddock::sandbox {

class DenialList {
 public:
  static constexpr size_t kMost = 256;
  void add(contracts::Denial denial);
  // The list; attempts beyond the bound follow in one entry per kind.
  std::vector<contracts::Denial> take();

 private:
  std::vector<contracts::Denial> denials_;
  std::vector<contracts::Denial> beyond_;
};

// A name that the command chose, as one line of text: malformed UTF-8 becomes U+FFFD, control and
// direction-changing characters become `\u{..}`, and it is cut after 1,000 bytes.
std::string printable_name(std::string_view bytes);

}  // namespace paddock::sandbox

// The node that a run is kept off, since it could not begin the run for a cause that another node
// may not have. An annotation: whoever may change the run sees it, and may take it away. Pure.
#pragma once

#include <string>

#include "common/contracts/run.h"

namespace paddock::runs {

inline constexpr const char* kRefusedByAnnotation = "paddock.dev/refused-by";

// Empty: none. What is longer than a name is no node's, whoever wrote it.
inline std::string kept_off(const contracts::Run& run) {
  const auto found = run.metadata.annotations.find(kRefusedByAnnotation);
  constexpr size_t kLongestName = 253;
  const bool is_one =
      found != run.metadata.annotations.end() && found->second.size() <= kLongestName;
  return is_one ? found->second : "";
}

inline void keep_off(contracts::Run& run, const std::string& node) {
  run.metadata.annotations[kRefusedByAnnotation] = node;
}

// Another attempt may go anywhere.
inline void keep_off_none(contracts::Run& run) {
  run.metadata.annotations.erase(kRefusedByAnnotation);
}

}  // namespace paddock::runs

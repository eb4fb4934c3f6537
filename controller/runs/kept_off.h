// The node that a run is kept off, since it could not begin the run for a cause that another node
// may not have. An annotation: whoever may change the run sees it, and may take it away. Pure.
#pragma once

#include <string>

#include "common/contracts/run.h"

namespace paddock::runs {

inline constexpr const char* kRefusedByAnnotation = "paddock.dev/refused-by";

// Empty: none.
inline std::string kept_off(const contracts::Run& run) {
  const auto found = run.metadata.annotations.find(kRefusedByAnnotation);
  return found == run.metadata.annotations.end() ? "" : found->second;
}

inline void keep_off(contracts::Run& run, const std::string& node) {
  run.metadata.annotations[kRefusedByAnnotation] = node;
}

}  // namespace paddock::runs

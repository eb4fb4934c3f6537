// The beginning of why a run waits for nodes: "1/3 nodes fit". Older controllers, whose reason is
// UNSCHEDULABLE for whatever a run waits for, show only in this text that it waits for nodes.
#pragma once

#include <string>
#include <string_view>

#include "common/base/text.h"

namespace paddock::contracts {

inline constexpr std::string_view kNodesFit = " nodes fit";

inline std::string nodes_fit(size_t fit, size_t all) { return cat(fit, "/", all, kNodesFit); }

inline bool says_nodes_fit(std::string_view message) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t slash = message.find_first_not_of(kDigits);
  if (slash == 0 || slash >= message.size() || message[slash] != '/') return false;
  const size_t end = message.find_first_not_of(kDigits, slash + 1);
  return end != std::string_view::npos && end > slash + 1 &&
         message.substr(end).starts_with(kNodesFit);
}

}  // namespace paddock::contracts

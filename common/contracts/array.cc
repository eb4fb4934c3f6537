#include "common/contracts/array.h"

#include "common/base/text.h"

namespace paddock::contracts {

std::string element_name(std::string_view array, int64_t index) { return cat(array, "-", index); }

std::optional<ElementName> parse_element_name(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const std::string_view digits = name.substr(dash + 1);
  const auto index = parse_integer<int64_t>(digits);
  if (!index || *index < 0 || std::to_string(*index) != digits) return std::nullopt;
  return ElementName{std::string(name.substr(0, dash)), *index};
}

}  // namespace paddock::contracts

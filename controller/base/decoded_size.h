// How many bytes a text in base64 stands for. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace paddock {

// How many bytes valid, padded base64 decodes to.
inline int64_t decoded_size(std::string_view base64) {
  return static_cast<int64_t>(base64.size()) / 4 * 3 - std::ranges::count(base64, '=');
}

}  // namespace paddock

// The lists of options that a program's rules keep. Pure.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace paddock::admission {

// Whether `word` is one of them, letter for letter.
inline bool is_one_of(std::span<const std::string_view> options, std::string_view word) {
  return std::ranges::find(options, word) != options.end();
}

}  // namespace paddock::admission

// The words that clients branch on. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace paddock::contracts {

// In the place of a code that a node said and that is none.
inline constexpr const char* kCodeInvalid = "NODE_CODE_INVALID";

// A code is a letter, then letters, digits and underscores, 64 together.
inline bool is_code(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  return !text.empty() && text.size() <= 64 && is_letter(text[0]) &&
         std::ranges::all_of(
             text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

inline std::string code_or_invalid(std::string said) {
  return said.empty() || is_code(said) ? std::move(said) : std::string(kCodeInvalid);
}

}  // namespace paddock::contracts

// Random documents for property tests: every type, awkward strings, keys and numbers.
#pragma once

#include <array>
#include <bit>
#include <cmath>

#include "common/base/random.h"
#include "common/base/text.h"
#include "common/wire/value.h"

namespace paddock::wire::internal {

inline std::string random_text(Random& random) {
  constexpr std::array kPieces = {
      "a",
      "Z",
      "0",
      "9",
      " ",
      "  ",
      "\n",
      "\t",
      "\r",
      "\"",
      "'",
      "\\",
      ":",
      ": ",
      "#",
      " #",
      "- ",
      "-",
      "?",
      "? ",
      "!",
      "&a",
      "*a",
      "|",
      ">",
      "%",
      "@",
      "`",
      "{",
      "}",
      "[",
      "]",
      ",",
      "~",
      "null",
      "true",
      "No",
      "yes",
      "1e3",
      "0x1f",
      "0o7",
      ".5",
      "1.5",
      ".inf",
      "---",
      "...",
      "<<",
      "=",
      "\x7F",
      "\x01",
      "\xC2\x85",
      "\xE2\x80\xA8",
      "\xEF\xBB\xBF",
      "\xC3\xA9",
      "\xF0\x9F\x98\x80",
      "12:30",
      "2026-01-02",
      "+1",
      "-1",
      "_",
      "/",
      "é",
      "8Gi",
      "on",
  };
  std::string text;
  const uint64_t count = random.below(5);
  for (uint64_t i = 0; i < count; ++i) text += kPieces[random.below(kPieces.size())];
  if (random.below(200) == 0) text += std::string(1200, 'k');
  if (random.below(50) == 0) text += '\0';
  return text;
}

inline double random_double(Random& random) {
  const double number = std::bit_cast<double>(random.next());
  return std::isfinite(number) && std::fpclassify(number) != FP_SUBNORMAL ? number : 0.5;
}

inline Value random_value(Random& random, size_t depth = 0) {
  switch (random.below(depth < 5 ? 9 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return random.below(2) == 0;
    case 2:
      return static_cast<int64_t>(random.next());
    case 3:
      return random_double(random);
    case 4:
    case 5:
      return random_text(random);
    case 6: {
      Value::Array items;
      const uint64_t count = random.below(5);
      for (uint64_t i = 0; i < count; ++i) items.push_back(random_value(random, depth + 1));
      return items;
    }
    default: {
      Value object = Value::Object{};
      const uint64_t count = random.below(5);
      for (uint64_t i = 0; i < count; ++i)
        object.set(random_text(random), random_value(random, depth + 1));
      return object;
    }
  }
}

}  // namespace paddock::wire::internal

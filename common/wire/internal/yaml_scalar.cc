#include "common/wire/internal/yaml_scalar.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/wire/internal/json_scalar.h"

namespace paddock::wire::internal {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool all_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == text.npos;
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

// (\.[0-9]+ | [0-9]+(\.[0-9]*)?) ([eE][-+]?[0-9]+)?
bool is_float(std::string_view text) {
  if (const size_t exponent = text.find_first_of("eE"); exponent != text.npos) {
    if (!all_of(without_sign(text.substr(exponent + 1)), kDigits)) return false;
    text = text.substr(0, exponent);
  }
  const size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  const std::string_view fraction = dot == text.npos ? std::string_view() : text.substr(dot + 1);
  if (!whole.empty() && !all_of(whole, kDigits)) return false;
  if (!fraction.empty() && !all_of(fraction, kDigits)) return false;
  return !whole.empty() || !fraction.empty();
}

Error out_of_range() { return invalid_argument("MALFORMED_YAML", "a number is out of range"); }

Result<Value> based_integer(std::string_view digits, int base) {
  int64_t value = 0;
  const char* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value, base);
  if (error != std::errc() || end != last) return out_of_range();
  return Value(value);
}

}  // namespace

Result<Value> plain_scalar(std::string_view text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return Value();
  if (is_one_of(text, {"true", "True", "TRUE"})) return Value(true);
  if (is_one_of(text, {"false", "False", "FALSE"})) return Value(false);
  const std::string_view unsigned_text = without_sign(text);
  if (is_one_of(unsigned_text, {".inf", ".Inf", ".INF"}) ||
      is_one_of(text, {".nan", ".NaN", ".NAN"})) {
    return invalid_argument("MALFORMED_YAML", "infinity and NaN are not allowed");
  }
  if (text.starts_with("0o") && all_of(text.substr(2), "01234567"))
    return based_integer(text.substr(2), 8);
  if (text.starts_with("0x") && all_of(text.substr(2), "0123456789abcdefABCDEF")) {
    return based_integer(text.substr(2), 16);
  }
  const std::string_view number = text.starts_with('+') ? unsigned_text : text;
  if (all_of(unsigned_text, kDigits)) {
    const auto integer = parse_integer<int64_t>(number);
    return integer ? Result<Value>(Value(*integer)) : out_of_range();
  }
  if (!is_float(unsigned_text)) return Value(text);
  const auto value = parse_double(std::string(number));
  return value ? Result<Value>(Value(*value)) : out_of_range();
}

bool is_plain_string(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kOthers = "0123456789/_.-+=@:%,() ";
  if (text.empty() || text.size() > 200) return false;
  const bool known = std::ranges::all_of(text, [&](char c) {
    return kLetters.find(c) != kLetters.npos || kOthers.find(c) != kOthers.npos;
  });
  if (!known || text.ends_with(' ') || text.ends_with(':') || text.find(": ") != text.npos)
    return false;
  // An option such as `--name` or `-c` is no list item and no end of a document.
  const size_t dashes = std::min(text.find_first_not_of('-'), text.size());
  if (dashes == text.size() || dashes > 2) return false;
  const char first = text[dashes];
  if (dashes > 0 && kLetters.find(first) == kLetters.npos) return false;
  if (kDigits.find(first) != kDigits.npos) {
    // Numbers, dates and times in any of YAML's many forms; `8Gi` and `30m` are none of them.
    return text.find_first_not_of("0123456789abcdefABCDEFxoTtZz:-_.+ ") != text.npos;
  }
  if (first != '/' && first != '_' && kLetters.find(first) == kLetters.npos) return false;
  return !is_one_of(ascii_lower(text),
                    {"null", "true", "false", "yes", "no", "on", "off", "y", "n"});
}

}  // namespace paddock::wire::internal

#include "common/base/base64_fault.h"

#include <algorithm>
#include <string>

#include "common/base/text.h"

namespace paddock {
namespace {

// Its bytes are whole, and its last character says more than they do.
bool has_unused_bits(std::string_view text) {
  const size_t end = text.find('=');
  if (end == std::string_view::npos || end == 0) return false;
  if (!decode_base64(cat("AAA", text.substr(end - 1, 1)))) return false;
  std::string zeroed(text);
  zeroed[end - 1] = 'A';  // six bits of zeroes
  return decode_base64(zeroed).has_value();
}

}  // namespace

std::string_view base64_fault(std::string_view text) {
  if (decode_base64(text)) return {};
  if (text.find_first_of(" \t\r\n") != std::string_view::npos)
    return "must be base64 in one line, without white space, as `base64 -w0` writes it";
  if (text.find_first_of("-_") != std::string_view::npos)
    return "must be base64 with '+' and '/', not the kind for addresses with '-' and '_'";
  if (text.size() % 4 != 0) return "must be base64 with padding: its length is no multiple of 4";
  if (has_unused_bits(text))
    return "is base64 whose last character has bits that belong to no byte, as if it had been "
           "changed or cut: encode it anew, as `base64 -w0` does";
  return "must be base64";
}

}  // namespace paddock

// JSON text <-> Value, strict: RFC 8259, UTF-8 checked, no duplicate keys, nothing after the
// document, integers must fit int64, other numbers must be finite.
// Errors have reason MALFORMED_JSON (or DOCUMENT_TOO_DEEP, DOCUMENT_TOO_LARGE) and name the byte
// offset.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::wire {

struct ParseLimits {
  size_t max_bytes = 8 << 20;
  size_t max_depth = 64;
  size_t max_values = 1'000'000;  // values and keys together
};

Result<Value> parse_json(std::string_view text, const ParseLimits& limits = {});
std::string to_json(const Value& value);
void append_json(const Value& value, std::string& out);
std::string to_pretty_json(const Value& value);  // two spaces, ends with a newline

}  // namespace paddock::wire

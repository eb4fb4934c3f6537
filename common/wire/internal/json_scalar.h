// Numbers and strings as JSON writes them (RFC 8259 sections 6 and 7), for the JSON and the YAML
// side. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/wire/value.h"

namespace paddock::wire::internal {

// An int64 or a finite double; nothing when the number fits neither. `text` must be a JSON number.
std::optional<Value> number_from_text(std::string_view text);
// A finite double that is all of `text`; also forms that JSON does not have.
std::optional<double> parse_double(const std::string& text);
// The shortest text that reads back as the same double; always with a `.` or an exponent.
std::string number_to_text(double number);
// Adds `text` between double quotes, escaped; malformed UTF-8 becomes U+FFFD. Also valid YAML.
void append_quoted(std::string_view text, std::string& out);

}  // namespace paddock::wire::internal

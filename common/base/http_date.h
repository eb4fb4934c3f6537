// The Date of an HTTP message: `Sun, 06 Nov 1994 08:49:37 GMT`. (RFC 9110 section 5.6.7)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"

namespace paddock {

std::string format_http_date(WallTime time);
// The form above alone; the two obsolete ones are not read.
std::optional<WallTime> parse_http_date(std::string_view text);

}  // namespace paddock

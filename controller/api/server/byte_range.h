// The Range header of one part of one file. (RFC 9110 section 14) Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/result.h"

namespace paddock::api {

struct ByteRange {
  int64_t first = 0;
  int64_t last = 0;  // inclusive
};

// None: the whole file, also for what we do not serve: several ranges, other units, nonsense.
// OutOfRange (RANGE_UNSATISFIABLE) for one that lies outside.
Result<std::optional<ByteRange>> parse_byte_range(std::string_view header, int64_t size);

}  // namespace paddock::api

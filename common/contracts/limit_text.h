// A limit's value as people write it. For common/contracts only.
#pragma once

#include <cstdint>
#include <string>

#include "common/wire/units.h"

namespace paddock::contracts {

inline std::string limit_text(int64_t count) { return std::to_string(count); }
inline std::string limit_text(const wire::Quantity& bytes) { return format_quantity(bytes.bytes); }
inline std::string limit_text(const wire::Duration& time) { return format_duration(time.value); }
inline std::string limit_text(const wire::Wait& time) { return format_duration(time.value); }

}  // namespace paddock::contracts

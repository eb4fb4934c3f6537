// RapidJSON as this project uses it; the only way to include it.
// Its assertions are undefined behaviour or an abort by default: here they throw, and parse_json
// turns that into an error. Its empty stack adds an offset to a null pointer before it grows, which
// is harmless, but which clang's sanitizer reports.
#pragma once

namespace paddock::wire::internal {

struct RapidJsonAssertion {};
inline void rapidjson_assert(bool holds) {
  if (!holds) throw RapidJsonAssertion{};
}

}  // namespace paddock::wire::internal

#define RAPIDJSON_ASSERT(x) ::paddock::wire::internal::rapidjson_assert(static_cast<bool>(x))

#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#ifdef __clang__
#pragma clang attribute pop
#endif

// Settings of RapidJSON, to be included before any of its headers. Its assertions are undefined
// behaviour or an abort by default; here they throw, and parse_json turns that into an error.
#pragma once

namespace paddock::wire::internal {

struct RapidJsonAssertion {};
inline void rapidjson_assert(bool holds) {
  if (!holds) throw RapidJsonAssertion{};
}

}  // namespace paddock::wire::internal

#define RAPIDJSON_ASSERT(x) ::paddock::wire::internal::rapidjson_assert(static_cast<bool>(x))

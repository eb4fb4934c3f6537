// The target of a request: path and query, taken apart before anything is decoded. Pure.
// One '/' at the end of a path means nothing; "/" itself has no segments.
// Errors: TARGET_INVALID, TARGET_TOO_LONG.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace paddock::http_server {

struct Target {
  std::string path;  // raw
  std::vector<std::string>
      segments;  // decoded; none is empty, ".", ".." or has '/', '\' or a control character
  std::vector<std::pair<std::string, std::string>> query;  // decoded; '+' is a space
};

inline constexpr size_t kMaxQueryBytes = 8 << 10;
inline constexpr size_t kMaxQueryParameters = 100;

Result<Target> parse_target(std::string_view raw, size_t max_path_bytes);

// The path that has these segments, written in the one way: `/a%62/` is `/ab`.
std::string path_of(const std::vector<std::string>& segments);

}  // namespace paddock::http_server

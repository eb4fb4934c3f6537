// The seeds of seeds.txt: one a line; what is behind a '#' is for its readers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::simulation {

// InvalidArgument (PARAMETER_INVALID), with the line, for what is no seed or is there twice. `name`
// is the file's, for that.
Result<std::vector<uint64_t>> parse_seeds(std::string_view text, std::string_view name);
// An empty file is no mistake, a missing one is.
Result<std::vector<uint64_t>> read_seeds(const std::string& path);

}  // namespace paddock::simulation

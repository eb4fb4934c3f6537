#include "tests/simulation/seeds.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::simulation {
namespace {

constexpr size_t kMostBytes = 1 << 20;

Error bad_line(std::string_view name, size_t number, std::string_view line, const char* why) {
  const std::string field = cat(name, ":", number);
  return invalid_argument("PARAMETER_INVALID", cat(field, ": \"", line, "\" ", why), field);
}

}  // namespace

Result<std::vector<uint64_t>> parse_seeds(std::string_view text, std::string_view name) {
  std::vector<uint64_t> seeds;
  size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::string_view seed = trim(std::string_view(line).substr(0, line.find('#')));
    if (seed.empty()) continue;
    const auto value = parse_integer<uint64_t>(seed);
    if (!value) return bad_line(name, number, line, "is no seed: a whole number, then # and why");
    if (std::ranges::find(seeds, *value) != seeds.end())
      return bad_line(name, number, line, "is there already; leave one of them out");
    seeds.push_back(*value);
  }
  return seeds;
}

Result<std::vector<uint64_t>> read_seeds(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, os::read_file(path, kMostBytes));
  return parse_seeds(text, path.substr(path.rfind('/') + 1));
}

}  // namespace paddock::simulation

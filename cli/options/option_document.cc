#include "cli/options/option_document.h"

#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/wire/places.h"
#include "common/wire/yaml.h"
#include "common/wire/yaml_lines.h"

namespace paddock::cli {

std::string shown_file(const std::string& file) { return file == "-" ? "stdin" : file; }

Result<wire::Value> parse_document(const std::string& file, std::string_view text) {
  Result<wire::Value> value = wire::parse_yaml(text);
  if (value.ok()) return value;
  Error error = value.error();
  error.message = cat(shown_file(file), ": ", error.message);
  return error;
}

Error at_its_place(Error error, const std::string& file, std::string_view text,
                   std::string_view within) {
  const wire::YamlLines lines{std::string(text)};
  std::vector<std::string> places;
  for (Cause& cause : error.causes) {
    if (!cause.field.starts_with(within)) {
      places.emplace_back();
      continue;
    }
    const bool is_first = places.empty() && error.message.starts_with(cause.field);
    if (is_first) error.message.erase(0, within.size());
    cause.field.erase(0, within.size());
    const auto line = lines.of(cause.field);
    places.push_back(line ? cat(shown_file(file), ":", *line) : shown_file(file));
  }
  return wire::with_places(std::move(error), places);
}

}  // namespace paddock::cli

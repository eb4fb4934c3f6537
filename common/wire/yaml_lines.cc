#include "common/wire/yaml_lines.h"

#include <string>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "common/base/text.h"

namespace paddock::wire {
namespace {

// `hostMounts[0].mode` as `hostMounts`, `0`, `mode`.
std::vector<std::string> steps_of(std::string_view path) {
  std::string dotted;
  for (const char c : path) {
    if (c == '[') dotted += '.';
    if (c != '[' && c != ']') dotted += c;
  }
  return split(dotted, '.');
}

// What a step leads to, and the line of its name.
struct Found {
  YAML::Node node;
  int line = 0;
};

std::optional<Found> step(const YAML::Node& in, const std::string& name) {
  const auto number = parse_integer<size_t>(name);
  if (in.IsSequence()) {
    if (!number || *number >= in.size()) return std::nullopt;
    const YAML::Node entry = in[*number];
    return Found{entry, entry.Mark().line + 1};
  }
  if (!in.IsMap()) return std::nullopt;
  for (const auto& member : in) {
    if (member.first.IsScalar() && member.first.Scalar() == name)
      return Found{member.second, member.first.Mark().line + 1};
  }
  return std::nullopt;
}

std::optional<int> line_in(YAML::Node at, std::string_view path) {
  std::optional<int> line;
  for (const std::string& name : steps_of(path)) {
    const std::optional<Found> found = step(at, name);
    if (!found) break;
    line = found->line;
    at.reset(found->node);
  }
  return line;
}

}  // namespace

struct YamlLines::Documents {
  std::vector<YAML::Node> roots;
};

std::optional<int> YamlLines::of(std::string_view path, size_t document) const {
  try {
    if (documents_ == nullptr) {
      documents_ = std::make_shared<const Documents>();
      documents_ = std::make_shared<const Documents>(Documents{YAML::LoadAll(yaml_)});
    }
    if (document >= documents_->roots.size()) return std::nullopt;
    return line_in(documents_->roots[document], path);
  } catch (const YAML::Exception&) {
    return std::nullopt;  // parse_yaml() takes JSON that this library does not
  }
}

std::optional<int> line_of(std::string_view yaml, std::string_view path) {
  return YamlLines(std::string(yaml)).of(path);
}

}  // namespace paddock::wire

// Where a field stands in a text that parse_yaml() or parse_yaml_documents() took, for messages to
// people. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace paddock::wire {

// The line, from 1, of the field at a path such as `limits.memory` or `hostMounts[0].mode`; of the
// nearest field around it where that is not there. Nothing if there is none of those either.
std::optional<int> line_of(std::string_view yaml, std::string_view path);

// The same for many fields: the text is read once, when the first of them is asked for. Not for
// several threads at once.
class YamlLines {
 public:
  explicit YamlLines(std::string yaml) : yaml_(std::move(yaml)) {}
  // `document`: of those that `---` separates, from 0.
  std::optional<int> of(std::string_view path, size_t document = 0) const;

 private:
  struct Documents;
  std::string yaml_;
  mutable std::shared_ptr<const Documents> documents_;  // null: not read yet
};

}  // namespace paddock::wire

// `-o jsonpath=TEMPLATE`, as kubectl has it: text, `{.path}`, `{"text"}` and `{range .path}…{end}`.
// Steps: `.name`, `['any name']`, `[0]`, `[-1]`, `[1:3]`, `[*]`, `.*`, `..name` and
// `[?(@.a.b=="x")]` (==, !=, <, <=, >, >=, or only whether it is there). What an object lacks is
// empty text. Pure.
// Source: https://kubernetes.io/docs/reference/kubectl/jsonpath/
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output/json_path_syntax.h"

namespace paddock::cli {

class JsonPath {
 public:
  // BAD_JSONPATH names the character. A text without braces is one path.
  static Result<JsonPath> parse(std::string_view text);
  // Strings as they are, other values as JSON; several results of one path with a space between.
  std::string render(const wire::Value& document) const;
  // The names of a template that is one path of names alone; none for any other template.
  std::vector<std::string> names() const;

 private:
  explicit JsonPath(json_path::Node root) : root_(std::move(root)) {}
  json_path::Node root_;
};

}  // namespace paddock::cli

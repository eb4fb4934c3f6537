// The parsed form of a JSONPath template, and its parser. Pure; for json_path.h only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::cli::json_path {

struct Step;
struct Query {
  bool from_root = false;  // `$`: else from what is looked at
  std::vector<Step> steps;
};

enum class Comparison {
  kExists,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual
};

struct Step {
  enum class Kind { kMember, kDescend, kAll, kIndex, kSlice, kFilter };
  Kind kind = Kind::kMember;
  std::string name = {};             // of a member
  std::optional<int64_t> from = {};  // of an index, or of a slice
  std::optional<int64_t> to = {};    // of a slice, not included
  Query condition = {};              // of a filter
  Comparison comparison = Comparison::kExists;
  wire::Value operand = {};
};

// A text, a path, or a range with nodes inside it. The root is only a container of nodes.
struct Node {
  enum class Kind { kText, kQuery, kRange, kAll };
  Kind kind = Kind::kAll;
  std::string text = {};
  Query query = {};
  std::vector<Node> inside = {};
};

Result<Node> parse(std::string_view text);

}  // namespace paddock::cli::json_path

// One line of a requirements file. Pure; for common/requirements only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::requirements {

struct LogicalLine {
  size_t number = 0;  // where it begins
  std::string text;   // without its comment
};
// Physical lines joined where one ends with a backslash. A comment ends a continued line.
std::vector<LogicalLine> logical_lines(std::string_view file);

std::vector<std::string> words_of(std::string_view line);

// Why a line that begins with no option cannot pass, and what to write instead; empty if it can.
std::string fault_of_requirement(const std::vector<std::string>& words);

struct OptionLine {
  enum class Kind { kFile, kConstraints, kPassed, kIgnored, kIndex, kRefused };
  Kind kind = Kind::kRefused;
  std::string value;  // the file; the index; of what is passed, the line
  std::string fault;  // of what is refused
};
// A line that begins with an option.
OptionLine read_option_line(const std::vector<std::string>& words);

// What an included file is called from the workspace's folder; nothing: it leads out of it.
std::optional<std::string> included_path(std::string_view from, std::string_view name);

}  // namespace paddock::requirements

// What a command takes, as data, and what somebody typed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::cli {

struct OptionRow {
  std::string names;  // `-n,--namespace`
  std::string value;  // placeholder; empty for a flag
  std::string help;
  bool many = false;  // may be given again
};

struct ArgumentRow {
  std::string name;  // `DIR`
  std::string help;
  bool required = true;
  bool many = false;           // takes all that follow
  bool behind_dashes = false;  // all words after `--`, as they are; last of the row, many
};

struct CommandRow {
  std::string path;  // `compute`, `sandbox run`
  std::string group;
  std::string summary;
  std::vector<ArgumentRow> arguments;
  std::vector<OptionRow> options;
  std::string more;  // what else to know, and examples
};

// The first long name without dashes: `namespace` for `-n,--namespace`.
std::string long_name(const OptionRow& option);
// Whether it has an option of that long name.
bool takes_option(const CommandRow& row, std::string_view name);

// What was typed, by long option name or argument name: `to`, never `--to`, which would be read as
// an option that nobody gave (it stops the program).
struct Parsed {
  std::string command;
  std::map<std::string, std::vector<std::string>> values;
  bool has(const std::string& name) const;
  // The last one.
  std::string text(const std::string& name, const std::string& fallback = {}) const;
  std::vector<std::string> list(const std::string& name) const;
};

}  // namespace paddock::cli

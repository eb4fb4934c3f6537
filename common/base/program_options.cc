#include "common/base/program_options.h"

#include <algorithm>

#include "common/base/nearest.h"
#include "common/base/text.h"

namespace paddock {
namespace {

constexpr size_t kColumns = 80;

bool may_be_alone(const ProgramOption& option) {
  return option.value.empty() || option.value.starts_with('[');
}

std::string unknown_option(const std::string& name, std::span<const ProgramOption> options) {
  std::vector<std::string> names;
  for (const ProgramOption& each : options) names.emplace_back(each.name);
  const std::string near = nearest(name, names);
  return cat("there is no option `", name, "`; ",
             near.empty() ? "`--help` lists them" : cat("did you mean `", near, "`?"));
}

// `given`: the equals sign and what is behind it.
std::string value_fault(const ProgramOption& option, std::string_view given) {
  if (!may_be_alone(option) || option.value == cat("[", given, "]")) return {};
  if (option.value.empty()) return cat(option.name, " takes no value");
  return cat(option.name, " stands alone, or as ", option.name,
             option.value.substr(1, option.value.size() - 2));
}

std::string in_usage(const ProgramOption& option) {
  return cat("[", option.name, may_be_alone(option) ? "" : " ", option.value, "]");
}

}  // namespace

Result<std::vector<GivenOption>> read_options(std::span<const std::string> words,
                                              std::span<const ProgramOption> options,
                                              Reason reason) {
  std::vector<GivenOption> given;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] == "-h" ? "--help" : words[i];
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto option = std::ranges::find(options, name, &ProgramOption::name);
    if (option == options.end()) return invalid_argument(reason, unknown_option(name, options));
    if (equals != std::string::npos) {
      if (const std::string fault = value_fault(*option, word.substr(equals)); !fault.empty())
        return invalid_argument(reason, fault);
      given.push_back({name, word.substr(equals + 1)});
    } else if (may_be_alone(*option)) {
      given.push_back({name, ""});
    } else if (i + 1 == words.size()) {
      return invalid_argument(reason, cat(name, " needs a value"));
    } else {
      given.push_back({name, words[++i]});
    }
  }
  return given;
}

std::string usage_of(std::string_view program, std::span<const ProgramOption> options) {
  std::string line = cat("usage: ", program);
  const std::string indent(line.size(), ' ');
  std::string out;
  for (const ProgramOption& each : options) {
    const std::string word = in_usage(each);
    if (line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line = indent;
    }
    line += " " + word;
  }
  return out + line + "\n";
}

}  // namespace paddock

#include "cli/options/command_row.h"

#include <algorithm>

#include "common/base/result.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

const std::vector<std::string>* typed(const Parsed& parsed, const std::string& name) {
  if (name.starts_with('-')) panic(cat("options are known without dashes: ", name));
  const auto found = parsed.values.find(name);
  return found == parsed.values.end() ? nullptr : &found->second;
}

}  // namespace

bool Parsed::has(const std::string& name) const { return typed(*this, name) != nullptr; }

std::string Parsed::text(const std::string& name, const std::string& fallback) const {
  const auto* found = typed(*this, name);
  return found == nullptr || found->empty() ? fallback : found->back();
}

std::vector<std::string> Parsed::list(const std::string& name) const {
  const auto* found = typed(*this, name);
  return found == nullptr ? std::vector<std::string>() : *found;
}

std::string long_name(const OptionRow& option) {
  const size_t start = option.names.find("--") + 2;
  return option.names.substr(start, option.names.find(',', start) - start);
}

bool takes_option(const CommandRow& row, std::string_view name) {
  return std::ranges::any_of(row.options,
                             [&](const OptionRow& each) { return long_name(each) == name; });
}

}  // namespace paddock::cli

#include "node-agent/sandbox/egress/hosts_file.h"

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/egress/addresses.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMostOfOneName = 16;  // of one name

std::vector<std::string> words_of(std::string line) {
  line.resize(std::min(line.find('#'), line.size()));
  std::ranges::replace(line, '\t', ' ');
  std::ranges::replace(line, '\r', ' ');
  std::vector<std::string> words = split(line, ' ');
  std::erase(words, "");
  return words;
}

}  // namespace

HostNames host_names(std::string_view hosts_file) {
  HostNames out;
  for (const std::string& line : split(hosts_file, '\n')) {
    const std::vector<std::string> words = words_of(line);
    const auto address = words.empty() ? std::nullopt : parse_ip(words.front());
    if (!address) continue;
    for (size_t i = 1; i < words.size(); ++i) {
      const auto name = contracts::host_name(words[i]);
      if (name && out[*name].size() < kMostOfOneName) out[*name].push_back(to_text(*address));
    }
  }
  return out;
}

HostNames allowed_names(const HostNames& names, const std::vector<contracts::DomainRule>& rules) {
  HostNames out;
  for (const auto& [name, addresses] : names)
    if (contracts::allows_name(rules, name)) out.emplace(name, addresses);
  return out;
}

}  // namespace paddock::sandbox

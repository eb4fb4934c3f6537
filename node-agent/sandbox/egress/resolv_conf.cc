#include "node-agent/sandbox/egress/resolv_conf.h"

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/egress/addresses.h"

namespace paddock::sandbox {

std::vector<std::string> name_servers(std::string_view resolv_conf) {
  constexpr size_t kMost = 3;
  constexpr std::string_view kKey = "nameserver";
  std::vector<std::string> out;
  for (const std::string& line : split(resolv_conf, '\n')) {
    if (!line.starts_with(kKey)) continue;
    std::string rest = line.substr(kKey.size());
    std::ranges::replace(rest, '\t', ' ');
    if (!rest.starts_with(' ')) continue;
    const std::string_view word = trim(rest);
    const auto address = parse_ip(word.substr(0, word.find(' ')));
    if (address && out.size() < kMost) out.push_back(to_text(*address));
  }
  return out;
}

}  // namespace paddock::sandbox

// Where an operator's packages come from. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::contracts {

struct PackageIndex {
  std::string url;
  std::string host;
  uint16_t port = 0;
  bool tls = true;
  // Where the index answers: an entry of network.allowDomains.
  std::string domain() const;
  // That, and where the well-known public indexes keep the files that they list: all that a build
  // may reach unless an operator names more.
  std::vector<std::string> domains() const;
};

// `https://host[:port][/path]`, or http. InvalidArgument, reason PACKAGE_INDEX_INVALID, for
// anything else: addresses (the network of a sandbox is by names), credentials (the builder, where
// hostile requirements are read, would know them; the message does not repeat them), queries, and
// characters that a URL does not have.
Result<PackageIndex> parse_package_index(std::string_view url);

}  // namespace paddock::contracts

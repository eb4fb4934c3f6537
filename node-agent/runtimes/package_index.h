// Where an operator's packages come from. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::runtimes {

struct PackageIndex {
  std::string url;
  std::string host;
  uint16_t port = 0;
  bool tls = true;
  // The one thing that a build may reach: an entry of network.allowDomains.
  std::string domain() const;
};

// `https://host[:port][/path]`, or http. InvalidArgument, reason PACKAGE_INDEX_INVALID, for
// anything else: addresses (the network of a sandbox is by names), credentials (a build's log would
// show them), queries, and characters that a URL does not have.
Result<PackageIndex> parse_package_index(std::string_view url);

}  // namespace paddock::runtimes

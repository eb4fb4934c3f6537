// One entry of network.allowDomains: `example.org`, `*.example.org`, `example.org:8443`. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::contracts {

// What an entry without a port opens. On these two the name is also checked in the first bytes.
inline constexpr uint16_t kHttpPort = 80;
inline constexpr uint16_t kHttpsPort = 443;
// Inside, names are looked up here and nowhere else.
inline constexpr uint16_t kDnsPort = 53;
inline constexpr size_t kMostPorts = 16;  // different ones in one policy

struct DomainRule {
  std::string name;         // as host_name() gives it
  bool subdomains = false;  // `*.name`: every name below it, and not the name itself
  std::optional<uint16_t> port;
};

// A host name as names are compared: lower case, without a final dot. Nothing for what is not one;
// an IP address in any notation (`127.1`, `0x7f.1`, `2130706433`, `[::1]`) is not.
std::optional<std::string> host_name(std::string_view text);

// InvalidArgument INVALID_DOMAIN, with what would pass.
Result<DomainRule> parse_domain_rule(std::string_view text);
// All of them; the error names the field, such as `network.allowDomains[2]`.
Result<std::vector<DomainRule>> parse_domain_rules(const std::vector<std::string>& entries);

// `name` must come from host_name().
bool covers(const DomainRule& rule, std::string_view name);
bool allows_name(const std::vector<DomainRule>& rules, std::string_view name);
bool allows(const std::vector<DomainRule>& rules, std::string_view name, uint16_t port);
std::set<uint16_t> ports_of(const std::vector<DomainRule>& rules);

}  // namespace paddock::contracts

// The names of a hosts file. Pure. (hosts(5))
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/domain_rule.h"

namespace paddock::sandbox {

// Addresses by name, as host_name() gives names.
using HostNames = std::map<std::string, std::vector<std::string>>;

// Lines that are none are left out, as the C library does.
HostNames host_names(std::string_view hosts_file);

// Those that a policy allows: a program inside learns of no other.
HostNames allowed_names(const HostNames& names, const std::vector<contracts::DomainRule>& rules);

}  // namespace paddock::sandbox

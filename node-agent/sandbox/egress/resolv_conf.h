// The name servers of a resolv.conf. Pure. (resolv.conf(5))
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::sandbox {

// At most three, as the C library takes them; those of one link only are left out.
std::vector<std::string> name_servers(std::string_view resolv_conf);

}  // namespace paddock::sandbox

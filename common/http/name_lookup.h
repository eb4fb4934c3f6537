// Whether the host of an address exists, by the system's resolver, as libcurl asks it. Blocks.
#pragma once

#include <string>

namespace paddock::http {

// Nobody has this name, or it can be nobody's. Not: that cannot be found out now.
bool name_is_unknown(const std::string& address);

}  // namespace paddock::http

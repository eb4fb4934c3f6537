// Whether the host of an address exists, by the system's resolver, as libcurl asks it. Blocks.
#pragma once

#include <string>

namespace paddock::http {

// Nobody has this name, or it can be nobody's. False where that cannot be found out now, and always
// on macOS, where an answer does not tell the two apart.
bool name_is_unknown(const std::string& address);

}  // namespace paddock::http

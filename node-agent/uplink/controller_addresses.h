// Looks up the controller's name as this host does, by the C library: /etc/hosts, search domains
// and whatever else the host looks names up by.
#pragma once

#include <string>
#include <vector>

namespace paddock::agent {

// In the order in which they are to be tried, at most 16. None: nothing is known of the name now.
std::vector<std::string> addresses_of_url(const std::string& url);

}  // namespace paddock::agent

// Paths of a request on systems without private mounts, where they are the host's own. Pure.
#pragma once

#include <string>
#include <vector>

namespace paddock::sandbox {

struct ResolvedMount {
  std::string host_path;
  std::string sandbox_path;
  bool writable = false;
};

// A path of the request's view as this host calls it; anything else as it is.
std::string on_host(const std::string& path, const std::vector<ResolvedMount>& mounts);

}  // namespace paddock::sandbox

// Whatever a resolv.conf holds, at most three servers come out of it, and each is an endpoint.
#include "common/base/result.h"
#include "node-agent/sandbox/egress/addresses.h"
#include "node-agent/sandbox/egress/resolv_conf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const auto servers =
      sandbox::name_servers(std::string_view(reinterpret_cast<const char*>(data), size));
  if (servers.size() > 3) panic("more servers than the C library takes");
  for (const std::string& server : servers) {
    if (!sandbox::parse_endpoint(server, 53).ok()) panic("a server is no address");
  }
  return 0;
}

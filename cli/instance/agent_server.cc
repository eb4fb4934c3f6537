#include "cli/instance/agent_server.h"

#include "common/client/requests.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr size_t kMaxCa = 1 << 20;

}  // namespace

Result<std::string> agent_server(const Parsed& parsed) {
  std::string url = parsed.text("server");
  while (url.ends_with('/')) url.pop_back();
  http::Endpoint endpoint;
  endpoint.base_url = url;
  if (url.starts_with("https://") || (url.starts_with("http://") && client::on_this_host(endpoint)))
    return url;
  return invalid_argument("INVALID_SERVER",
                          "must be an https:// address (http:// on this host's loopback only)",
                          "--server");
}

Result<std::string> agent_ca(const Parsed& parsed) {
  if (!parsed.has("ca-file")) return std::string();
  auto ca = os::read_file(parsed.text("ca-file"), kMaxCa);
  if (ca.ok()) return ca;
  return invalid_argument("CA_FILE_UNREADABLE", ca.error().message, "--ca-file");
}

}  // namespace paddock::cli

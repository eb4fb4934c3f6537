#include "cli/instance/agent_server.h"

#include <algorithm>
#include <vector>

#include "cli/terminal/interrupt.h"
#include "cli/terminal/named_file.h"
#include "common/base/text.h"
#include "common/client/requests.h"
#include "common/os/read_stream.h"

namespace paddock::cli {
namespace {

constexpr size_t kMaxCa = 1 << 20;

bool may_be_told_secrets(const std::string& url) {
  http::Endpoint endpoint;
  endpoint.base_url = url;
  if (url.find(',') != std::string::npos) return false;
  return url.starts_with("https://") ||
         (url.starts_with("http://") && client::on_this_host(endpoint));
}

}  // namespace

Result<std::string> agent_server(const Parsed& parsed) {
  const std::vector<std::string> addresses = http::addresses_in(parsed.text("server"));
  if (std::ranges::all_of(addresses, may_be_told_secrets)) return join(addresses, ",");
  return invalid_argument("INVALID_SERVER",
                          "must be an https:// address (http:// on this host's loopback only)",
                          "--server");
}

Result<std::string> agent_ca(const Parsed& parsed) {
  if (!parsed.has("ca-file")) return std::string();
  const ReadingFile reading;
  auto ca = os::read_stream(parsed.text("ca-file"), kMaxCa);
  if (ca.ok()) return ca;
  return invalid_argument("CA_FILE_UNREADABLE",
                          of_named_file(ca.error(), parsed.text("ca-file")).message, "--ca-file");
}

}  // namespace paddock::cli

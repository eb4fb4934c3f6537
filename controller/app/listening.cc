#include "controller/app/listening.h"

#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::app {
namespace {

std::string url_host(const std::string& host) {
  if (host == "0.0.0.0") return "127.0.0.1";
  if (host == "::") return "[::1]";
  return host.find(':') == std::string::npos ? host : cat("[", host, "]");
}

}  // namespace

Result<http_server::ServerOptions> listening(const Config& config, Random& random,
                                             const Clock& clock) {
  http_server::ListenAddress address;
  address.host = config.host;
  address.port = static_cast<int>(config.port);
  if (!config.plain_http) {
    ASSIGN_OR_RETURN(address.tls,
                     http_server::prepare_tls(certificate_settings(config), random, clock.wall()));
  }
  http_server::ServerOptions options;
  options.listen.push_back(std::move(address));
  if (!config.unix_socket.empty()) {
    http_server::ListenAddress socket;
    socket.unix_socket = config.unix_socket;
    options.listen.push_back(std::move(socket));
  }
  options.max_connections = static_cast<size_t>(config.max_connections);
  options.wall = [&clock] { return clock.wall(); };
  options.allowed_hosts = config.allowed_hosts;
  options.allowed_origins = config.allowed_origins;
  return options;
}

http_server::CertificateSettings certificate_settings(const Config& config) {
  http_server::CertificateSettings out{config.tls.cert_file, config.tls.key_file,
                                       os::join_path(config.data_dir, "tls")};
  out.names.push_back(config.host);
  out.names.insert(out.names.end(), config.allowed_hosts.begin(), config.allowed_hosts.end());
  return out;
}

std::string own_url(const Config& config, int port) {
  return cat(config.plain_http ? "http" : "https", "://", url_host(config.host), ":", port);
}

}  // namespace paddock::app

#include "node-agent/sandbox/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

template <class T>
std::optional<T> read_as(std::string_view bytes, size_t least) {
  if (bytes.size() < least) return std::nullopt;
  T out{};
  std::memcpy(&out, bytes.data(), std::min(bytes.size(), sizeof out));
  return out;
}

}  // namespace

std::optional<SocketAddress> read_socket_address(std::string_view bytes) {
  const auto family = read_as<sa_family_t>(bytes, sizeof(sa_family_t));
  if (!family) return std::nullopt;
  SocketAddress out;
  char text[INET6_ADDRSTRLEN] = {};
  if (*family == AF_UNIX) {
    out.local = true;
  } else if (*family == AF_INET) {
    const auto address = read_as<sockaddr_in>(bytes, offsetof(sockaddr_in, sin_zero));
    if (!address) return std::nullopt;
    inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
    out.port = ntohs(address->sin_port);
    out.text = cat(std::string_view(text), ":", out.port);
  } else if (*family == AF_INET6) {
    const auto address = read_as<sockaddr_in6>(bytes, offsetof(sockaddr_in6, sin6_scope_id));
    if (!address) return std::nullopt;
    inet_ntop(AF_INET6, &address->sin6_addr, text, sizeof text);
    out.port = ntohs(address->sin6_port);
    out.text = cat("[", std::string_view(text), "]:", out.port);
  } else {
    out.text = cat("address family ", int{*family});
  }
  return out;
}

contracts::Denial network_denial(NetworkCall call, const SocketAddress& address,
                                 std::string executable) {
  contracts::Denial denial;
  switch (call) {
    case NetworkCall::kConnect:
      denial.what = address.port == 53 ? "name lookup" : "network connect";
      break;
    case NetworkCall::kBind:
      denial.what = "network listen";
      break;
    case NetworkCall::kSend:
      denial.what = "network send";
      break;
  }
  denial.target = address.text;
  denial.executable = std::move(executable);
  denial.rule = "network.enabled=false";
  denial.remedy = "set network.enabled and network.allowDomains in the sandbox policy";
  return denial;
}

}  // namespace paddock::sandbox

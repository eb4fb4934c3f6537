#include "node-agent/uplink/controller_addresses.h"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <memory>

#include "common/base/freed.h"
#include "common/contracts/tool_gateway.h"

namespace paddock::agent {
namespace {

constexpr size_t kMost = 16;
using Found = std::unique_ptr<addrinfo, Freed<&freeaddrinfo>>;

std::string text_of(const addrinfo& info) {
  std::array<char, NI_MAXHOST> text{};
  const int failed = getnameinfo(info.ai_addr, info.ai_addrlen, text.data(), text.size(), nullptr,
                                 0, NI_NUMERICHOST);
  return failed == 0 ? std::string(text.data()) : std::string();
}

}  // namespace

std::vector<std::string> addresses_of_url(const std::string& url) {
  const auto place = contracts::place_of_url(url);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (!place || getaddrinfo(place->host.c_str(), nullptr, &hints, &list) != 0) return {};
  const Found found(list);
  std::vector<std::string> out;
  for (const addrinfo* info = list; info != nullptr && out.size() < kMost; info = info->ai_next) {
    std::string text = text_of(*info);
    // One of a link alone (fe80::1%eth0) means nothing elsewhere.
    if (!text.empty() && text.find('%') == std::string::npos) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace paddock::agent

// Addresses that commands tried to reach, read and judged. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/contracts/sandbox_result.h"

namespace paddock::sandbox {

struct SocketAddress {
  bool local = false;  // AF_UNIX: stays inside the sandbox
  std::string text;    // `93.184.216.34:443`, `[::1]:80`
  int port = 0;
};

// From the raw bytes of a sockaddr; nothing when they are too short to be one.
std::optional<SocketAddress> read_socket_address(std::string_view bytes);

enum class NetworkCall { kConnect, kBind, kSend };
contracts::Denial network_denial(NetworkCall call, const SocketAddress& address,
                                 std::string executable);

}  // namespace paddock::sandbox

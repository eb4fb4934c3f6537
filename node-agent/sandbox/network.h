// Addresses that commands tried to reach and sockets that they tried to make, read and judged.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/sandbox_result.h"

namespace paddock::sandbox {

enum class NetworkCall { kConnect, kBind, kListen, kSend };

struct SocketAddress {
  bool local = false;      // AF_UNIX, or nothing at all: stays inside the sandbox
  bool loopback = false;   // of the sandbox itself, the unspecified address included
  bool synthetic = false;  // a name's address inside (broker/name_table.h)
  std::string text;        // `93.184.216.34:443`, `[::1]:80`
  int port = 0;
};

// From the raw bytes of a sockaddr, as the kernel takes them for this call; nothing when they are
// too short to be one.
std::optional<SocketAddress> read_socket_address(std::string_view bytes,
                                                 NetworkCall call = NetworkCall::kConnect);

// What a command may use of a network: nothing, or with a broker the loopback device that only the
// broker leads out of.
struct NetworkReach {
  bool broker = false;
  std::vector<int> ports;  // of the names that are allowed
};

// Whether the call may go on: it can reach nothing outside.
bool stays_inside(NetworkCall call, const SocketAddress& address, const NetworkReach& reach);

contracts::Denial network_denial(NetworkCall call, const SocketAddress& address,
                                 const NetworkReach& reach, std::string executable);

// A socket() that is neither local nor TCP nor UDP: errno for it, and its record.
struct RefusedSocket {
  int error = 0;
  contracts::Denial denial;
};
RefusedSocket refuse_socket(uint64_t family, uint64_t type, uint64_t protocol,
                            std::string executable);

}  // namespace paddock::sandbox

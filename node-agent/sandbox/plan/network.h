// Addresses that commands tried to reach and sockets that they tried to make, read and judged.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/sandbox_result.h"
#include "node-agent/sandbox/egress/addresses.h"

namespace paddock::sandbox {

enum class NetworkCall { kConnect, kBind, kListen, kSend };

struct SocketAddress {
  bool local = false;           // AF_UNIX, AF_NETLINK, or nothing at all: stays inside the sandbox
  bool loopback = false;        // of the sandbox itself, the unspecified address included
  bool synthetic = false;       // a name's address inside (egress/name_table.h)
  std::optional<IpAddress> ip;  // an IPv4 address inside IPv6 in its IPv4 form
  std::string text;             // `93.184.216.34:443`, `[::1]:80`
  int port = 0;
};

// From the raw bytes of a sockaddr, as the kernel takes them for this call; nothing when they are
// too short to be one.
std::optional<SocketAddress> read_socket_address(std::string_view bytes,
                                                 NetworkCall call = NetworkCall::kConnect);

// The addresses that a command may reach: none; the loopback device of its own network namespace,
// by which its processes reach each other; the broker, which is reached by that device too and is
// the only way out; or both. Beside these, the gateway of a tool token, which leads to the
// controller alone.
struct NetworkReach {
  bool broker = false;
  std::vector<int> ports;  // of the names that are allowed
  bool loopback = false;
  std::vector<Endpoint> gateway;  // where it is inside
};

// Whether the call may go on. The one place that says what is let through, and when:
//                              nothing   loopback   broker
//   local sockets                yes        yes       yes
//   listening on loopback         no        yes        no
//   reaching loopback             no        yes        no
//   its port 53, a name lookup    no         no       yes
//   a name's address              -          -        its ports
//   any other address             no         no        no
// A gateway's own address and port are reached in each column.
// The walls behind it follow: there is no device but `lo`, which is up if there is either, and
// Landlock refuses the TCP that no column has (landlock_rules.h).
bool stays_inside(NetworkCall call, const SocketAddress& address, const NetworkReach& reach);

// Whether bind() to this address, which does not stay inside, may only ask if there is IPv6, as
// urllib3 does when it is imported and Go when a program first uses a network. Who does not serve
// is told that there is none, as by a host without, and that is no denial: nothing was to be
// reached.
bool asks_for_ipv6(const SocketAddress& bound);

contracts::Denial network_denial(NetworkCall call, const SocketAddress& address,
                                 const NetworkReach& reach, std::string executable);

// A socket() that is neither local nor TCP nor UDP.
struct SocketAnswer {
  int error = 0;  // 0: it is made
  std::optional<contracts::Denial> denial = {};
};
// The only such socket that may be made is one that asks the kernel about the sandbox's own devices
// and addresses (NETLINK_ROUTE), and only where there is a loopback device. Changing them takes a
// capability that no process inside has.
SocketAnswer judge_socket(uint64_t family, uint64_t type, uint64_t protocol,
                          const NetworkReach& reach, std::string executable);

}  // namespace paddock::sandbox

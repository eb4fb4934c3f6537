// The gateway of a tool token: where it is inside, and where it leads. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/tool_gateway.h"
#include "node-agent/sandbox/egress/addresses.h"

namespace paddock::sandbox {

struct Gateway {
  std::vector<Endpoint> inside;      // so that the controller's own URL leads to it
  std::string name;                  // that /etc/hosts must know there; empty: an address, or known
  std::string host;                  // of the URL
  uint16_t port = 0;                 // on both sides
  std::vector<IpAddress> addresses;  // of the controller
  std::string header;                // what goes to it before anything else
};

// InvalidArgument INVALID_GATEWAY.
Result<Gateway> read_gateway(const contracts::ToolGateway& gateway);

// The address that stands, inside, for a controller that is known by a name.
IpAddress gateway_place();

// Whether this is an address of a loopback device as it is, with no address of its own: 127.0.0.0/8
// and ::1.
bool is_loopback(const IpAddress& address);

}  // namespace paddock::sandbox

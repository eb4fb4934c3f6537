// Checks the Host header against DNS rebinding, and the Origin header against foreign pages. Pure.
// Errors: HEADER_INVALID, HOST_DENIED, ORIGIN_DENIED.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "controller/http_server/request_head.h"

namespace paddock::http_server {

struct Authority {
  std::string host;  // lower case; an IPv6 address without its brackets; no dot at the end
  int port = -1;     // -1: not given
};
// `name`, `name:port`, `1.2.3.4:port`, `[::1]:port`; nothing for anything else.
std::optional<Authority> parse_authority(std::string_view text);

bool is_loopback_name(std::string_view host);  // localhost, *.localhost, 127.0.0.0/8, ::1

// The names that one connection answers to.
struct OwnNames {
  std::vector<std::string> hosts;  // lower case: listen hosts, the local address, allowed hosts
  bool tls = false;                // the scheme of its own origin is https
  bool any = false;                // a unix socket: no browser can reach it
};

// ORIGIN_DENIED for a request that changes something, or asks for another protocol (a WebSocket,
// which no browser asks for leave), and comes from a page of another origin. Allowed are requests
// without an Origin, which no page sent; this server's own pages (same scheme, host and port as
// this request); and pages of an origin that the operator named.
Status check_origin(const RequestHead& head, const OwnNames& own,
                    const std::vector<std::string>& named = {});

}  // namespace paddock::http_server

// The way of a run with a tool token to its controller, and how a connection that comes that way is
// known there: the program that passes it on says first which run it is of, in a PROXY protocol
// header (version 2, command LOCAL) with that and nothing else. What it says only ever narrows what
// the connection is good for, so nobody has to prove it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

struct ToolGateway {
  std::string host;  // of the controller's URL: a lower-case name, or an address without brackets
  int64_t port = 0;
  std::vector<std::string> addresses;  // what the name leads to from this host
  std::string run_uid;
  std::string ca;  // PEM; empty: the system's
  static constexpr auto describe(auto&& visit) {
    return visit(field("host", &ToolGateway::host, "of the controller's URL",
                       {.required = true, .min_length = 1, .max_length = 253}),
                 field("port", &ToolGateway::port, "of the controller's URL",
                       {.required = true, .min = 1, .max = 65535}),
                 field("addresses", &ToolGateway::addresses,
                       "that the name leads to from this host", {.max_length = 16}),
                 field("runUid", &ToolGateway::run_uid, "whose tool tokens are good here",
                       {.required = true, .min_length = 36, .max_length = 36}),
                 field("ca", &ToolGateway::ca, "PEM of the controller's CA, shown inside as a file",
                       {.omit_empty = true, .max_length = 65536}));
  }
};

// Inside, where the CA is, and the variable that says so.
inline constexpr std::string_view kSandboxCaFile = "/run/paddock/ca.pem";
inline constexpr std::string_view kCaFileVariable = "PADDOCK_CA_FILE";

struct UrlPlace {
  std::string host;
  int port = 0;
};
// Of `https://name[:port]` or `http://…`; nothing for what has a user, or no host.
std::optional<UrlPlace> place_of_url(std::string_view url);

inline constexpr size_t kGatewayHeaderBytes = 55;
// `run_uid`: of 36 characters, as every uid is.
std::string gateway_header(std::string_view run_uid);

struct GatewayHeader {
  enum class State {
    kNone,      // the connection begins with something else
    kNeedMore,  // so far it could be one
    kRun,       // it is one
    kBad        // it is a header of that protocol, and none of ours
  };
  State state = State::kNone;
  std::string run_uid;
};
GatewayHeader read_gateway_header(std::string_view bytes);

}  // namespace paddock::contracts

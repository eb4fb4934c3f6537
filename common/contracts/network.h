// The network of a sandbox as its operator sets it, and what was reached through it. Whether a
// policy may enable it at all is a matter of ceilings.h.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

// The operator's part; a run's policy names the domains.
struct NetworkSettings {
  std::vector<std::string> resolvers;
  std::vector<std::string> allow_ranges;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("resolvers", &NetworkSettings::resolvers,
              "name servers, such as 9.9.9.9 or [2620:fe::fe]:53; empty: the host's",
              {.omit_empty = true, .max_length = 3}),
        field("allowRanges", &NetworkSettings::allow_ranges,
              "addresses beside the public ones that names may lead to, such as 10.1.0.0/16",
              {.omit_empty = true, .max_length = 64}));
  }
};

// Connections of one run to one name, by way of the address that was pinned for it.
struct NetworkFlow {
  std::string name;
  int64_t port = 0;
  std::string address;
  int64_t connections = 0;
  int64_t failures = 0;
  int64_t sent_bytes = 0;
  int64_t received_bytes = 0;
  std::string problem;
  std::string reason;  // of the problem
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("name", &NetworkFlow::name, "as the policy allows it"),
        field("port", &NetworkFlow::port, "of the server; 0: the name alone was looked up"),
        field("address", &NetworkFlow::address, "that the name was resolved to",
              {.omit_empty = true}),
        field("connections", &NetworkFlow::connections, "that came about"),
        field("failures", &NetworkFlow::failures, "that did not, though allowed"),
        field("sent_bytes", &NetworkFlow::sent_bytes, "by the sandbox"),
        field("received_bytes", &NetworkFlow::received_bytes, "by the sandbox"),
        field("problem", &NetworkFlow::problem,
              "why the last one that failed did: the policy allowed it, the node could not",
              {.omit_empty = true}),
        field("reason", &NetworkFlow::reason, "the same as a stable word", {.omit_empty = true}));
  }
};

}  // namespace paddock::contracts

// How a host joins, has its credential replaced, and leaves. What the agent itself sends to enrol
// is EnrollRequest (sync.h).
#pragma once

#include <string>
#include <string_view>

#include "common/contracts/meta.h"

namespace paddock::contracts {

// What secrets begin with, before their `_`: to join, and of a node that has joined.
inline constexpr std::string_view kEnrollTokenPrefix = "pdke";
inline constexpr std::string_view kNodeTokenPrefix = "pdkn";
inline constexpr Millis kEnrollTokenLife = std::chrono::hours(1);
inline constexpr Millis kLongestEnrollTokenLife = std::chrono::hours(24);

// POST nodes/{name}/enroll-token, by an operator.
struct EnrollTokenRequest {
  wire::Duration ttl{kEnrollTokenLife};
  static constexpr auto describe(auto&& visit) {
    return visit(field("ttl", &EnrollTokenRequest::ttl, "1h unless given; from 1s to 24h"));
  }
  void validate(wire::Check& check) const;
};
// The secret is shown once.
struct EnrollTokenAnswer {
  std::string id;
  std::string token;
  wire::Timestamp expires_at;
  static constexpr auto describe(auto&& visit) {
    return visit(field("id", &EnrollTokenAnswer::id, "names it in the audit log"),
                 field("token", &EnrollTokenAnswer::token,
                       "good for this node's name and the first host that uses it"),
                 field("expiresAt", &EnrollTokenAnswer::expires_at, "when its time is over"));
  }
};

// POST nodes/{name}/credential, by the node: {} -> a new credential, shown once. The older one is
// good until a minute after the first use of the new one.
struct CredentialAnswer {
  std::string credential;
  static constexpr auto describe(auto&& visit) {
    return visit(field("credential", &CredentialAnswer::credential, "bearer token of this node"));
  }
};
inline constexpr Millis kCredentialOverlap = std::chrono::minutes(1);

// POST nodes/{name}/leave, by the node.
struct LeaveRequest {
  bool force = false;
  static constexpr auto describe(auto&& visit) {
    return visit(field("force", &LeaveRequest::force,
                       "also while runs or sessions are there; they end as lost"));
  }
};

}  // namespace paddock::contracts

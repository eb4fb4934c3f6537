// The addresses of a name in the policy, from the answers of the node's name servers; or the answer
// that the program gets if there are none. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "node-agent/sandbox/egress/dns_message.h"
#include "node-agent/sandbox/egress/problem.h"

namespace paddock::sandbox {

// Why there is no address at all. The policy has no part in it.
enum class Unresolved { kNoName, kNoAddress, kServerFailed, kNoAnswer };

struct Resolved {
  std::vector<IpAddress> addresses;  // that may be reached; IPv4 first
  std::vector<IpAddress> refused;    // that may not
  std::optional<Unresolved> why;     // with neither
};

// The servers' replies to one question: an answer that settles it, or the last code of those that
// could not help; neither if no server replied.
struct DnsReplies {
  std::optional<DnsAnswer> answer;
  std::optional<DnsCode> failure;
};

Resolved resolved_from(const DnsReplies& v4, const DnsReplies& v6,
                       const std::vector<IpRange>& allowed);

// `text` as a sentence goes on: `the node's name servers know no such name`.
Problem why_unresolved(Unresolved why);
// In the words of the name service: NXDOMAIN, an answer without addresses, SERVFAIL.
DnsCode code_of(Unresolved why);

}  // namespace paddock::sandbox

#include "node-agent/sandbox/egress/resolved.h"

namespace paddock::sandbox {
namespace {

void sort_out(const DnsReplies& heard, const std::vector<IpRange>& allowed, Resolved& out) {
  if (!heard.answer) return;
  for (const IpAddress& address : heard.answer->addresses)
    (may_reach(address, allowed) ? out.addresses : out.refused).push_back(address);
}

bool says_no_name(const DnsReplies& heard) {
  return heard.answer && heard.answer->code == DnsCode::kNoName;
}

// If the name does not exist, that is so for both questions. Otherwise a question without an answer
// decides, since the name might have had an address there.
Unresolved reason_for(const DnsReplies& v4, const DnsReplies& v6) {
  if (says_no_name(v4) || says_no_name(v6)) return Unresolved::kNoName;
  if (v4.answer && v6.answer) return Unresolved::kNoAddress;
  const bool failed = (!v4.answer && v4.failure) || (!v6.answer && v6.failure);
  return failed ? Unresolved::kServerFailed : Unresolved::kNoAnswer;
}

}  // namespace

Resolved resolved_from(const DnsReplies& v4, const DnsReplies& v6,
                       const std::vector<IpRange>& allowed) {
  Resolved out;
  sort_out(v4, allowed, out);
  sort_out(v6, allowed, out);
  if (out.addresses.empty() && out.refused.empty()) out.why = reason_for(v4, v6);
  return out;
}

Problem why_unresolved(Unresolved why) {
  switch (why) {
    case Unresolved::kNoName:
      return {"NAME_UNKNOWN", "the node's name servers know no such name"};
    case Unresolved::kNoAddress:
      return {"NAME_WITHOUT_ADDRESS", "the node's name servers know no address of that name"};
    case Unresolved::kServerFailed:
      return {"NAME_SERVER_FAILED", "the node's name servers could not look it up"};
    case Unresolved::kNoAnswer:
      return {"NAME_SERVER_SILENT", "no name server of the node answered"};
  }
  return {};
}

DnsCode code_of(Unresolved why) {
  if (why == Unresolved::kNoName) return DnsCode::kNoName;
  return why == Unresolved::kNoAddress ? DnsCode::kNone : DnsCode::kServer;
}

}  // namespace paddock::sandbox

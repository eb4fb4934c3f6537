#include "node-agent/sandbox/egress/dns_responder.h"

#include "node-agent/sandbox/egress/dns_message.h"

namespace paddock::sandbox {

DnsResponder::Turn DnsResponder::take(std::string_view message) {
  auto query = read_dns_query(message);
  if (!query) return {};
  if (query->opcode != 0) return write_dns_reply(*query, DnsCode::kNotImplemented);
  if (query->klass != 1) return write_dns_reply(*query, DnsCode::kRefused);
  // Names of our own addresses: programs ask for them unbidden.
  if (query->type == static_cast<uint16_t>(DnsType::kPtr))
    return write_dns_reply(*query, DnsCode::kNoName);
  auto name = contracts::host_name(query->name);
  if (!name || !contracts::allows_name(rules_, *name)) {
    records_.refused_lookup(query->name);
    return write_dns_reply(*query, DnsCode::kNoName);
  }
  // The table of names also bounds how many names are asked of the node's servers.
  if (!names_.address_of(*name)) {
    records_.refused_connection(*name, "at most 1024 names in one run", "use fewer names");
    return write_dns_reply(*query, DnsCode::kServer);
  }
  return OpenQuestion{std::move(*query), std::move(*name)};
}

// A name that leads to addresses which may not be reached has one inside all the same: whoever
// connects to it is told the rule.
std::string DnsResponder::settle(const OpenQuestion& question, const Resolved& resolved) {
  const bool for_address = question.query.type == static_cast<uint16_t>(DnsType::kA);
  if (resolved.why) {
    // Programs ask for both kinds of address at once: that is one failure.
    if (for_address)
      records_.failed(records_.flow(question.name, 0, ""), why_unresolved(*resolved.why));
    return write_dns_reply(question.query, code_of(*resolved.why));
  }
  return write_dns_reply(question.query, DnsCode::kNone,
                         for_address ? names_.address_of(question.name) : std::nullopt);
}

}  // namespace paddock::sandbox

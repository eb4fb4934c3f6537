#include "node-agent/sandbox/egress/dns_desk.h"

#include "node-agent/sandbox/egress/dns_message.h"

namespace paddock::sandbox {

std::optional<std::string> DnsDesk::answer(std::string_view message) {
  const auto query = read_dns_query(message);
  if (!query) return std::nullopt;
  if (query->opcode != 0) return write_dns_reply(*query, DnsCode::kNotImplemented);
  if (query->klass != 1) return write_dns_reply(*query, DnsCode::kRefused);
  // Names of our own addresses: programs ask for them unbidden.
  if (query->type == static_cast<uint16_t>(DnsType::kPtr))
    return write_dns_reply(*query, DnsCode::kNoName);
  const auto name = contracts::host_name(query->name);
  if (!name || !contracts::allows_name(rules_, *name)) {
    records_.refused_lookup(query->name);
    return write_dns_reply(*query, DnsCode::kNoName);
  }
  if (query->type != static_cast<uint16_t>(DnsType::kA))
    return write_dns_reply(*query, DnsCode::kNone);
  const auto address = names_.address_of(*name);
  if (!address) {
    records_.refused_connection(*name, "at most 1024 names in one run", "use fewer names");
    return write_dns_reply(*query, DnsCode::kServer);
  }
  return write_dns_reply(*query, DnsCode::kNone, address);
}

}  // namespace paddock::sandbox

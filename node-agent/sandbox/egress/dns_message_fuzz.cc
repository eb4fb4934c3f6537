// A question that is read is answered with something that reads as its answer; hostile answers are
// bounded.
#include "common/contracts/domain_rule.h"
#include "node-agent/sandbox/egress/dns_message.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  using namespace paddock::sandbox;
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  if (const auto query = read_dns_query(message)) {
    const std::string reply = write_dns_reply(*query, DnsCode::kNone, ipv4(0x7f400001));
    const auto name = contracts::host_name(query->name);
    if (name && query->type == 1 && query->klass == 1 && query->opcode == 0) {
      const auto read = read_dns_answer(reply, query->id, *name, DnsType::kA);
      if (!read || read->addresses.size() != 1) panic("a reply is not read as written");
      if (!read_dns_query(write_dns_query(query->id, *name, DnsType::kA)))
        panic("a name cannot be asked for");
    }
  }
  if (size < 2) return 0;
  const auto id = static_cast<uint16_t>(data[0] << 8 | data[1]);
  for (const DnsType type : {DnsType::kA, DnsType::kAaaa}) {
    const auto answer = read_dns_answer(message, id, "a.example", type);
    if (answer && answer->addresses.size() > 16) panic("too many addresses");
  }
  return 0;
}

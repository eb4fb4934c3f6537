// The name server inside the sandbox: allowed names get their address of the table if they lead
// anywhere outside, and are told of as the node's name servers tell of them if not; all others do
// not exist, and nobody is asked of them. Pure; not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/contracts/domain_rule.h"
#include "node-agent/sandbox/egress/name_table.h"
#include "node-agent/sandbox/egress/records.h"
#include "node-agent/sandbox/egress/resolved.h"

namespace paddock::sandbox {

// A question that cannot be answered before its name was resolved.
struct OpenQuestion {
  DnsQuery query;
  std::string name;
};

class DnsResponder {
 public:
  DnsResponder(const std::vector<contracts::DomainRule>& rules, NameTable& names, Records& records)
      : rules_(rules), names_(names), records_(records) {}
  // The reply to one message, or that its name has to be resolved first; nothing for what deserves
  // none.
  using Turn = std::variant<std::monostate, std::string, OpenQuestion>;
  Turn take(std::string_view message);
  std::string settle(const OpenQuestion& question, const Resolved& resolved);

 private:
  const std::vector<contracts::DomainRule>& rules_;
  NameTable& names_;
  Records& records_;
};

}  // namespace paddock::sandbox

// The name server inside the sandbox: allowed names get their address of the table, all others do
// not exist. Nothing is asked of anybody else here. Pure; not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/domain_rule.h"
#include "node-agent/sandbox/egress/name_table.h"
#include "node-agent/sandbox/egress/records.h"

namespace paddock::sandbox {

class DnsDesk {
 public:
  DnsDesk(const std::vector<contracts::DomainRule>& rules, NameTable& names, Records& records)
      : rules_(rules), names_(names), records_(records) {}
  // The reply to one message; nothing for what deserves none.
  std::optional<std::string> answer(std::string_view message);

 private:
  const std::vector<contracts::DomainRule>& rules_;
  NameTable& names_;
  Records& records_;
};

}  // namespace paddock::sandbox

// A rule that is accepted has a name that reads as itself, and never an address.
#include <arpa/inet.h>
#include <netinet/in.h>

#include "common/base/result.h"
#include "common/contracts/domain_rule.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto name = contracts::host_name(text)) {
    if (contracts::host_name(*name) != name) panic("a host name is not read as itself");
    in_addr address{};
    if (inet_aton(name->c_str(), &address) != 0) panic("an address is taken for a name");
  }
  const auto rule = contracts::parse_domain_rule(text);
  if (!rule.ok()) return 0;
  if (contracts::host_name(rule->name) != rule->name) panic("a rule's name is not a name");
  if (contracts::covers(*rule, rule->name) == rule->subdomains) panic("a rule misses its name");
  return 0;
}

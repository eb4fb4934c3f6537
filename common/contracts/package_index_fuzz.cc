// Whatever passes for an index names one host and port, which a sandbox's policy can allow.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "common/contracts/domain_rule.h"
#include "common/contracts/package_index.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto index = paddock::contracts::parse_package_index(text);
  if (!index.ok()) return 0;
  if (index->url != text || index->url.find_first_of(" @?#\\\n") != std::string::npos) std::abort();
  const auto rule = paddock::contracts::parse_domain_rule(index->domain());
  if (!rule.ok() || rule->subdomains || rule->name != index->host) std::abort();
  if (!paddock::contracts::allows({*rule}, index->host, index->port)) std::abort();
  return 0;
}

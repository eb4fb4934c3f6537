#include "controller/api/metrics/stored_use.h"

#include <algorithm>

#include "controller/api/metrics/metrics.h"

namespace paddock::api {

using workspaces::StoredBytes;

std::string stored_text(const StoredBytes& stored) {
  const std::map<std::string, StoredBytes::Use> all = stored.uses();
  std::string used = metric_type("paddock_namespace_stored_bytes", "gauge",
                                 "bytes of the files that a namespace has stored");
  std::string share = metric_type("paddock_namespace_stored_quota_bytes", "gauge",
                                  "bytes that the files of a namespace may have");
  for (const auto& [name, use] : all) {
    used += metric_line("paddock_namespace_stored_bytes", "namespace", name, use.used);
    share += metric_line("paddock_namespace_stored_quota_bytes", "namespace", name, use.share);
  }
  return used + share;
}

wire::Value stored_value(const StoredBytes& stored, const auth::Principal& principal) {
  std::map<std::string, StoredBytes::Use> all;
  if (!principal.name_space.empty()) {
    all[principal.name_space] = stored.use_of(principal.name_space);
  } else {
    all = stored.uses();
  }
  wire::Value out = wire::Value::Object{};
  for (const auto& [name, use] : all)
    out.set(name, wire::Value::Object{{"bytes", use.used}, {"quota", use.share}});
  return out;
}

}  // namespace paddock::api

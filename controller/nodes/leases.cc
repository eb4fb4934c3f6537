#include "controller/nodes/leases.h"

namespace paddock::nodes {

Status LeaseTable::renew(const std::string& node, const std::string& session, int64_t generation,
                         Now now) {
  return entries_.with([&](std::map<std::string, Entry>& entries) -> Status {
    const auto [at, first] = entries.try_emplace(node);
    Entry& entry = at->second;
    const bool same = entry.session == session;
    if (!first && !same && generation <= entry.generation) {
      return Error{Code::kConflict, "SESSION_SUPERSEDED",
                   "a newer agent process speaks for this node; this one must stop"};
    }
    entry = {session, generation, now.mono, now.wall};
    return {};
  });
}

Millis LeaseTable::silence(const std::string& node, MonoTime now) const {
  return entries_.with([&](const std::map<std::string, Entry>& entries) {
    const auto at = entries.find(node);
    return now - (at == entries.end() ? started_ : at->second.renewed);
  });
}

std::optional<WallTime> LeaseTable::last_seen(const std::string& node) const {
  return entries_.with([&](const std::map<std::string, Entry>& entries) {
    const auto at = entries.find(node);
    return at == entries.end() ? std::optional<WallTime>() : at->second.seen;
  });
}

void LeaseTable::forget(const std::string& node) {
  entries_.with([&](std::map<std::string, Entry>& entries) { entries.erase(node); });
}

}  // namespace paddock::nodes

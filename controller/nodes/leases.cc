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
    entry.session = session;
    entry.generation = generation;
    entry.renewed = now.mono;
    entry.seen = now.wall;
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

void LeaseTable::know(const std::string& node, Known known) {
  entries_.with([&](std::map<std::string, Entry>& entries) {
    const auto at = entries.find(node);
    if (at != entries.end()) at->second.known = std::move(known);
  });
}

bool LeaseTable::knows(const std::string& node, const Known& known) const {
  return entries_.with([&](const std::map<std::string, Entry>& entries) {
    const auto at = entries.find(node);
    return at != entries.end() && at->second.known == known;
  });
}

}  // namespace paddock::nodes

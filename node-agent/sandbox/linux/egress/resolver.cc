#include "node-agent/sandbox/linux/egress/resolver.h"

#include <utility>

namespace paddock::sandbox {

Resolver::Resolver(const Lookup::Tools& tools, std::vector<IpRange> allowed,
                   const std::map<std::string, std::vector<IpAddress>>& hosts)
    : tools_(tools), allowed_(std::move(allowed)) {
  for (const auto& [name, addresses] : hosts)
    hosts_.emplace(name, resolved_from({DnsAnswer{.addresses = addresses}, {}}, {}, allowed_));
}

const Resolved* Resolver::known(const std::string& name) const {
  if (const auto fixed = hosts_.find(name); fixed != hosts_.end()) return &fixed->second;
  const auto found = known_.find(name);
  if (found == known_.end()) return nullptr;
  const CachedName& entry = found->second;
  return entry.until && tools_.clock.mono() >= *entry.until ? nullptr : &entry.resolved;
}

void Resolver::resolve(const std::string& name, Done done) {
  if (const Resolved* resolved = known(name)) return done(Resolved(*resolved));
  Pending& pending = pending_[name];
  pending.waiting.push_back(std::move(done));
  if (pending.v4) return;
  pending.since = tools_.clock.mono();
  pending.v4 = std::make_unique<Lookup>(tools_, name, DnsType::kA);
  pending.v6 = std::make_unique<Lookup>(tools_, name, DnsType::kAaaa);
}

void Resolver::forget(const std::string& name) { known_.erase(name); }

// Answers as soon as there is an IPv4 address, without waiting for IPv6.
void Resolver::settle(const std::string& name) {
  Pending& pending = pending_.at(name);
  if (!pending.v4->finished()) return;
  const Resolved resolved = resolved_from(pending.v4->heard(), pending.v6->heard(), allowed_);
  if (resolved.addresses.empty() && !pending.v6->finished()) return;
  const std::vector<Done> waiting = std::move(pending.waiting);
  pending_.erase(name);
  CachedName& entry = known_[name] = {resolved, std::nullopt};
  if (resolved.addresses.empty()) entry.until = tools_.clock.mono() + kFailureKept;
  for (const Done& done : waiting) done(resolved);
}

// Answers what has been asked for too long: the program might give up before all servers were
// tried.
void Resolver::give_up() {
  const std::map<std::string, Pending> pending = std::exchange(pending_, {});
  for (const auto& [name, each] : pending) {
    if (tools_.clock.mono() - each.since < kOverdue) continue;
    const Resolved resolved = resolved_from(each.v4->heard(), each.v6->heard(), allowed_);
    if (!resolved.why) continue;
    for (const Done& done : each.waiting) done(resolved);
  }
}

void Resolver::step() {
  std::vector<std::string> names;
  for (auto& [name, pending] : pending_) {
    pending.v4->expire();
    pending.v6->expire();
    names.push_back(name);
  }
  for (const std::string& name : names) settle(name);
}

}  // namespace paddock::sandbox

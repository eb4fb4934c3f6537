#include "node-agent/sandbox/linux/egress/resolver.h"

namespace paddock::sandbox {

void Resolver::resolve(const std::string& name, Done done) {
  if (const auto known = pinned_.find(name); known != pinned_.end()) return done(known->second);
  Pending& pending = pending_[name];
  pending.waiting.push_back(std::move(done));
  if (pending.v4) return;
  pending.v4 = std::make_unique<Lookup>(tools_, name, DnsType::kA);
  pending.v6 = std::make_unique<Lookup>(tools_, name, DnsType::kAaaa);
}

void Resolver::forget(const std::string& name) { pinned_.erase(name); }

void Resolver::sort_out(const Lookup& lookup, Resolved& out) const {
  if (!lookup.answer()) return;
  for (const IpAddress& address : lookup.answer()->addresses)
    (may_reach(address, allowed_) ? out.addresses : out.refused).push_back(address);
}

// Once IPv4 has something nobody waits for IPv6.
void Resolver::settle(const std::string& name) {
  Pending& pending = pending_.at(name);
  if (!pending.v4->finished()) return;
  Resolved resolved;
  sort_out(*pending.v4, resolved);
  if (resolved.addresses.empty() && !pending.v6->finished()) return;
  sort_out(*pending.v6, resolved);
  const std::vector<Done> waiting = std::move(pending.waiting);
  pending_.erase(name);
  if (!resolved.addresses.empty()) pinned_[name] = resolved;
  for (const Done& done : waiting) done(resolved);
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

// Names to addresses by way of the operator's name servers. The first set of addresses that a name
// leads to is kept for the run: a name cannot change its mind (DNS rebinding). Only when none of
// them could be connected to is it asked for again, and every answer goes through the same rules.
// That it leads nowhere is kept for a moment: asking again and again is no load for those servers.
// Not thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "node-agent/sandbox/linux/egress/lookup.h"

namespace paddock::sandbox {

class Resolver {
 public:
  using Done = std::function<void(const Resolved&)>;
  static constexpr Millis kFailureKept{1'000};
  static constexpr Millis kOverdue{1'000};  // of an answer

  // `hosts`: names that no name server is asked for, as a node's hosts file has them.
  Resolver(const Lookup::Tools& tools, std::vector<IpRange> allowed,
           const std::map<std::string, std::vector<IpAddress>>& hosts = {});
  // `done` is called once, now or from step().
  void resolve(const std::string& name, Done done);
  // Forgets a name, none of whose addresses took a connection.
  void forget(const std::string& name);
  // Hands out the answers that came, and tries again where none did. To be called after each step
  // of the loop.
  void step();
  // Called at the end: a question whose answer is overdue is answered as one that got none.
  void give_up();
  bool busy() const { return !pending_.empty(); }

 private:
  struct Pending {
    std::unique_ptr<Lookup> v4;
    std::unique_ptr<Lookup> v6;
    std::vector<Done> waiting;
    MonoTime since;
  };
  struct CachedName {
    Resolved resolved;
    std::optional<MonoTime> until;  // of one without an address
  };
  const Resolved* known(const std::string& name) const;
  void settle(const std::string& name);

  Lookup::Tools tools_;
  std::vector<IpRange> allowed_;
  std::map<std::string, Resolved> hosts_;
  std::map<std::string, CachedName> known_;
  std::map<std::string, Pending> pending_;
};

}  // namespace paddock::sandbox

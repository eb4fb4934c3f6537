// When an agent stops by itself: on a host that is only lent, such as an allocation of a batch
// system or a spot instance. How it stops, also after a SIGTERM, is at the end of run_agent()
// (agent.cc).
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"
#include "node-agent/app/config.h"

namespace paddock::agent {

// Not thread-safe.
class LentHost {
 public:
  LentHost(const AgentConfig& config, MonoTime now)
      : ends_at_(config.ends_at), idle_exit_(config.idle_exit), busy_at_(now) {}

  // Why the agent stops now, returned once; nothing while it stays. `busy`: it has runs or
  // sessions.
  std::optional<std::string> reason_to_leave(bool busy, WallTime wall, MonoTime now);

 private:
  std::optional<wire::Timestamp> ends_at_;
  std::optional<wire::Duration> idle_exit_;
  MonoTime busy_at_;  // last
  bool gone_ = false;
};

// Turns off sessions and code of POST /execute: a host that will go away must not begin work whose
// end is not known.
void take_only_what_ends(AgentConfig& config);

}  // namespace paddock::agent

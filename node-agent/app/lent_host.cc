#include "node-agent/app/lent_host.h"

#include "common/base/text.h"
#include "common/base/units.h"

namespace paddock::agent {

std::optional<std::string> LentHost::reason_to_leave(bool busy, WallTime wall, MonoTime now) {
  if (busy) busy_at_ = now;
  const bool over = ends_at_ && wall >= ends_at_->value;
  const bool idle = idle_exit_ && now - busy_at_ >= idle_exit_->value;
  if (gone_ || !(over || idle)) return std::nullopt;
  gone_ = true;
  if (over) return "its host's time is over (endsAt)";
  return cat("nothing ran here for ", format_duration(idle_exit_->value), " (idleExit)");
}

void take_only_what_ends(AgentConfig& config) {
  if (!config.ends_at) return;
  config.sessions.max_sessions = 0;
  config.snippets.enabled = false;
}

}  // namespace paddock::agent

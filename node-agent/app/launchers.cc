#include "node-agent/app/launchers.h"

#include "common/base/text.h"
#include "common/contracts/sandbox.h"
#include "common/os/file.h"

namespace paddock::agent {
namespace {

std::string runs_folder(const AgentConfig& config) {
  return os::join_path(config.data_dir, "sandbox");
}
std::string sessions_folder(const AgentConfig& config) {
  return os::join_path(config.data_dir, "sandbox-sessions");
}
std::string snippets_folder(const AgentConfig& config) {
  return os::join_path(config.data_dir, "sandbox-snippets");
}

// Options of the launcher for sessions: most sessions have the default tools, and all are told what
// was refused.
std::vector<std::string> session_options() {
  const auto tools = contracts::session_programs(contracts::default_session_tools());
  return {"--judge", "exec", "--tools", join(tools, ",")};
}

}  // namespace

std::vector<std::string> launcher_folders(const AgentConfig& config) {
  return {runs_folder(config), sessions_folder(config), snippets_folder(config)};
}

Launchers::Launchers(const AgentConfig& config, const Clock& clock)
    : runs(config.sandbox_program, runs_folder(config), clock),
      sessions(config.sandbox_program, sessions_folder(config), clock, session_options()),
      snippets(config.sandbox_program, snippets_folder(config), clock,
               {"--hold", "exit", "--ready", "2"}),
      has_sessions_(config.sessions.max_sessions > 0),
      has_snippets_(config.snippets.enabled) {
  runs.start();
  if (has_sessions_) sessions.start();
  if (has_snippets_) snippets.start();
}

void Launchers::replace() {
  runs.replace();
  if (has_sessions_) sessions.replace();
  if (has_snippets_) snippets.replace();
}

}  // namespace paddock::agent

// The launchers that serve: runs; sessions, whose programs are judged; short code.
#pragma once

#include <string>
#include <vector>

#include "node-agent/app/config.h"
#include "node-agent/executor/launch_server.h"

namespace paddock::agent {

// Where they have their sockets; the folders are there before the launchers are made.
std::vector<std::string> launcher_folders(const AgentConfig& config);

class Launchers {
 public:
  // Starts those that this node needs.
  Launchers(const AgentConfig& config, const Clock& clock);
  // Their program is another one now.
  void replace();

  executor::LaunchServer runs, sessions, snippets;

 private:
  const bool has_sessions_;
  const bool has_snippets_;
};

}  // namespace paddock::agent

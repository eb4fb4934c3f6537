// The operator's settings for sandbox sessions on this node.
#pragma once

#include <optional>
#include <string>

#include "common/contracts/ceilings.h"
#include "common/contracts/network.h"

namespace paddock::sessions {

using contracts::field;

struct SessionConfig {
  int64_t max_sessions = 256;
  int64_t max_parallel = 32;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("maxSessions", &SessionConfig::max_sessions, "at once; 0: this node takes none",
              {.min = 0, .max = 100'000}),
        field("maxParallel", &SessionConfig::max_parallel,
              "commands and file operations of all sessions at once", {.min = 1, .max = 512}));
  }
};

// Fixed while the agent runs.
struct Setting {
  SessionConfig config;
  std::string folder;  // of all sessions; this module's alone
  contracts::NodeBounds bounds;
  contracts::NetworkSettings network;
  std::optional<int64_t> uid;  // of the commands, when the agent is root
};

}  // namespace paddock::sessions

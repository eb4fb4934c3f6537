// The agent as a service of this host, which packaging/ makes of it: what people type, and as whom.
#pragma once

namespace paddock::cli {

struct AgentService {
  const char* user;     // who may write its files
  const char* start;    // once the host has joined
  const char* restart;  // once its configuration was changed
  const char* stop;
  const char* forget;  // once the host has left
};
AgentService agent_service();

}  // namespace paddock::cli

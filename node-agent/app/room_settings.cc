#include "node-agent/app/room_settings.h"

#include <unistd.h>

#include "common/os/file.h"

namespace paddock::agent {
namespace {

constexpr uid_t kNobody = 65534;
// The folder of the operator's Python for short code, which is seen at the same path inside.
constexpr const char* kLibraryDir = "/opt/sandbox";

// Empty: none is here.
std::string library_dir() { return ::access(kLibraryDir, R_OK | X_OK) == 0 ? kLibraryDir : ""; }

// The user that runs commands, if that is not the agent's own.
std::optional<uid_t> sandbox_uid() {
  return ::geteuid() == 0 ? std::optional(kNobody) : std::nullopt;
}

}  // namespace

Result<http::Endpoint> endpoint_of(const AgentConfig& config) {
  http::Endpoint endpoint;
  endpoint.base_url = config.server;
  if (!config.ca_file.empty()) {
    ASSIGN_OR_RETURN(endpoint.ca_pem, os::read_file(config.ca_file));
  }
  return endpoint;
}

NodeIdentity identity_of(const AgentConfig& config) {
  return {config.name, config.labels, config.server, config.data_dir, config.enroll_token_file};
}

HostSettings host_settings_of(const AgentConfig& config) {
  return {config.data_dir, config.sandbox_program, config.min_free.bytes,
          config.max_runs, config.visible_gpus,    config.accelerators,
          config.max_cpu,  config.max_memory.bytes};
}

contracts::NodeBounds bounds_of(const AgentConfig& config) {
  return {config.ceilings, contracts::limits_of_host(devices::host_size("/", config.data_dir),
                                                     contracts::builtin_profiles())};
}

executor::ExecutorConfig executor_config(const AgentConfig& config,
                                         const contracts::NodeBounds& bounds) {
  executor::ExecutorConfig out;
  out.runs_dir = os::join_path(config.data_dir, "runs");
  out.intents_file = os::join_path(config.data_dir, "launches");
  out.sandbox_program = config.sandbox_program;
  out.bounds = bounds;
  out.network = config.network;
  out.environments.dir = config.data_dir;
  out.environments.wheel_dir = config.wheel_dir;
  out.environments.python_index = config.packages.python_index;
  out.environments.npm_registry = config.packages.npm_registry;
  out.environments.ca_file = config.packages.ca_file;
  out.environments.file_hosts = config.packages.file_hosts;
  out.environments.instance = config.instance;
  out.environments.network = config.network;
  out.sandbox_uid = sandbox_uid();
  out.environments.sandbox_uid = out.sandbox_uid;
  out.library_dir = library_dir();
  return out;
}

Result<snippets::Setting> snippet_setting_of(const AgentConfig& config,
                                             const contracts::NodeBounds& bounds) {
  snippets::Setting out;
  out.config = config.snippets;
  ASSIGN_OR_RETURN(out.profile, snippets::load_profile(config.snippets));
  out.bounds = bounds;
  out.uid = sandbox_uid();
  out.library_dir = library_dir();
  return out;
}

sessions::Setting session_setting_of(const AgentConfig& config,
                                     const contracts::NodeBounds& bounds) {
  sessions::Setting out;
  out.config = config.sessions;
  out.folder = os::join_path(config.data_dir, "sessions");
  out.bounds = bounds;
  out.network = config.network;
  out.uid = sandbox_uid();
  return out;
}

}  // namespace paddock::agent

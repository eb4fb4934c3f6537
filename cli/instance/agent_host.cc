#include "cli/instance/agent_host.h"

#include <unistd.h>

#include <utility>

#include "cli/instance/agent_service.h"
#include "cli/options/names.h"
#include "common/client/node_identity.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr size_t kMaxConfig = 1 << 20;
constexpr mode_t kConfigMode = 0644;
constexpr mode_t kDataMode =
    0711;  // as the agent's unit makes it: runs of other users pass through

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// The error for files of the agent that our rights do not suffice to write.
Error not_writable(const char* what, const Error& cause) {
  return {cause.code, "NODE_FILES_UNWRITABLE",
          cat(what, " cannot be written (", cause.message, "): run this ", agent_service().user,
              ", or name a --config and a --data-dir of your own")};
}

Error unreadable_config(const Error& cause) {
  return {Code::kFailedPrecondition, "AGENT_CONFIG_INVALID",
          cat("the agent's configuration: ", cause.message)};
}

}  // namespace

Result<AgentHost> AgentHost::find(const Parsed& parsed, const Env& env) {
  AgentHost host;
  host.config_file_ = parsed.has("config") ? absolute_path(env.cwd, parsed.text("config"))
                                           : std::string(kAgentConfigFile);
  const auto there = os::is_there(host.config_file_);
  if (!there.ok()) return unreadable_config(there.error());
  host.configured_ = *there;
  if (host.configured_) {
    auto text = os::read_file(host.config_file_, kMaxConfig);
    if (!text.ok()) return unreadable_config(text.error());
    host.config_text_ = std::move(text).value();
  }
  auto settings = read_agent_settings(host.config_text_);
  if (!settings.ok()) {
    Error error = settings.error();
    error.message = cat(host.config_file_, ": ", error.message);
    return error;
  }
  host.settings_ = std::move(settings).value();
  if (parsed.has("data-dir"))
    host.settings_.data_dir = absolute_path(env.cwd, parsed.text("data-dir"));
  return host;
}

std::string AgentHost::node() const {
  constexpr size_t kLongest = 63;
  const std::string& name = settings_.name;
  if (!name.empty() && name.find('.') == std::string::npos) return name;
  return slug(name.empty() ? host_name() : name, kLongest, "node");
}

Result<os::LockFile> AgentHost::lock() const {
  if (const Status made = os::make_dirs(data_dir(), kDataMode); !made.ok())
    return not_writable("the agent's data folder", made.error());
  auto lock = os::LockFile::acquire(os::join_path(data_dir(), "agent.lock"));
  if (lock.ok()) return lock;
  if (lock.error().reason != "LOCK_HELD")
    return not_writable("the agent's data folder", lock.error());
  return Error{Code::kFailedPrecondition, "DATA_DIR_IN_USE",
               cat("the agent runs; stop it first: ", agent_service().stop)};
}

Result<http::Endpoint> AgentHost::endpoint() const {
  http::Endpoint endpoint;
  endpoint.token = client::stored_credential(data_dir());
  if (endpoint.token.empty())
    return Error{
        Code::kFailedPrecondition, "NOT_JOINED",
        cat("there is no credential of a node in ", data_dir(),
            "; `paddock node join` makes one, --data-dir names another folder, and run this ",
            agent_service().user, " if you may not read it")};
  endpoint.base_url = settings_.server;
  if (!settings_.ca_file.empty()) {
    ASSIGN_OR_RETURN(endpoint.ca_pem, os::read_file(settings_.ca_file, kMaxConfig));
  }
  return endpoint;
}

Status AgentHost::set(const AgentKeys& keys) const {
  ASSIGN_OR_RETURN(const std::string text, set_agent_keys(config_text_, keys));
  if (text == config_text_) return {};
  Status written = os::make_dirs(os::folder_of(config_file_), 0755);
  if (written.ok()) written = os::write_file_atomic(config_file_, text, kConfigMode);
  return written.ok() ? written
                      : Status(not_writable("the agent's configuration", written.error()));
}

}  // namespace paddock::cli

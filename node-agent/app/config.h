// The agent's configuration: one YAML file, flags on top. packaging/node-agent.example.yaml shows
// every key with its default; a test holds it equal to this.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "common/contracts/ceilings.h"
#include "common/contracts/network.h"
#include "node-agent/devices/accelerator.h"
#include "node-agent/sessions/settings.h"
#include "node-agent/snippets/settings.h"

namespace paddock::agent {

using contracts::field;

enum class LogLevelName { kDebug, kInfo, kWarn, kError };

// The sources that requirements are installed from, beside `wheelDir`.
struct PackageSources {
  std::string python_index;
  std::string npm_registry;
  std::string ca_file;
  std::vector<std::string> file_hosts;
  static constexpr auto describe(auto&& visit) {
    return visit(field("pythonIndex", &PackageSources::python_index,
                       "URL of a package index for pip (the \"simple\" one); empty: none"),
                 field("npmRegistry", &PackageSources::npm_registry,
                       "URL of a registry for npm; empty: none"),
                 field("caFile", &PackageSources::ca_file,
                       "PEM file of the CAs that both are trusted by; empty: those of pip and npm"),
                 field("fileHosts", &PackageSources::file_hosts,
                       "names beside the indexes' own, where they keep the files that they list",
                       {.omit_empty = true, .max_length = 8}));
  }
};

struct AgentConfig {
  std::string server = "https://127.0.0.1:8443";
  std::string ca_file;
  std::string name;
  std::string data_dir = "/var/lib/paddock/node-agent";
  std::string enroll_token_file;
  wire::Duration rotate_credential{std::chrono::hours(30 * 24)};
  std::map<std::string, std::string> labels;
  int64_t max_runs = 0;
  int64_t max_cpu = 0;
  wire::Quantity max_memory;
  std::string wheel_dir;
  PackageSources packages;
  wire::Quantity cache_quota{int64_t{32} << 30};
  wire::Quantity min_free{int64_t{256} << 20};
  std::string sandbox_program;
  std::optional<contracts::Ceilings> ceilings;
  contracts::NetworkSettings network;
  std::vector<std::string> etc_files;
  snippets::SnippetConfig snippets;
  sessions::SessionConfig sessions;
  std::vector<devices::Accelerator> accelerators;
  std::string visible_gpus;
  std::optional<wire::Timestamp> ends_at;
  std::optional<wire::Duration> idle_exit;
  LogLevelName log_level = LogLevelName::kInfo;
  std::string instance;  // of `paddock up`, by its flag alone; empty: whoever runs the agent
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("server", &AgentConfig::server,
              "URL of the controller; of several that take over from each other all, by commas",
              {.min_length = 1}),
        field("caFile", &AgentConfig::ca_file, "PEM file of the trusted CA; empty: the system's"),
        field("name", &AgentConfig::name, "the node's name; empty: the host's name",
              {.max_length = 63}),
        field("dataDir", &AgentConfig::data_dir, "where the agent keeps everything",
              {.min_length = 1}),
        field("enrollTokenFile", &AgentConfig::enroll_token_file, "needed for the first start"),
        field("rotateCredential", &AgentConfig::rotate_credential,
              "how old this node's credential may be before it is replaced"),
        field("labels", &AgentConfig::labels, "for node selection", {.max_length = 64}),
        field("maxRuns", &AgentConfig::max_runs,
              "runs at once; 0: two for each processor, and at least four",
              {.min = 0, .max = 100'000}),
        field("maxCpu", &AgentConfig::max_cpu,
              "cores that runs may ask for together, of those that the agent may use; 0: all",
              {.min = 0, .max = 4096}),
        field("maxMemory", &AgentConfig::max_memory,
              "that runs may ask for together, of what this host or its cgroup has; 0: all"),
        field("wheelDir", &AgentConfig::wheel_dir, "folder of Python wheels for requirements"),
        field("packages", &AgentConfig::packages, "indexes that requirements are installed from"),
        field("cacheQuota", &AgentConfig::cache_quota,
              "bytes of files and trees that are kept for later runs; what was used longest ago "
              "goes first"),
        field("minFree", &AgentConfig::min_free,
              "free on the data folder's disk, else the node takes no new runs; 0: whatever is"),
        field("sandboxProgram", &AgentConfig::sandbox_program,
              "empty: paddock-sandbox beside the agent"),
        field(
            "ceilings", &AgentConfig::ceilings,
            "what this node lets a policy ask for; absent: no network, and limits by what the host "
            "has"),
        field("network", &AgentConfig::network,
              "how the network resolves names that ceilings.network allows"),
        field("etcFiles", &AgentConfig::etc_files,
              "files and folders of /etc that installed software needs, shown to every sandbox",
              {.max_length = 64}),
        field("snippets", &AgentConfig::snippets, "what POST /execute runs here"),
        field("sessions", &AgentConfig::sessions, "sandbox sessions that live here"),
        field("accelerators", &AgentConfig::accelerators,
              "beside those that are found: for drivers that cannot be asked", {.max_length = 64}),
        field("visibleGpus", &AgentConfig::visible_gpus,
              "which of the NVIDIA GPUs found are used, as CUDA_VISIBLE_DEVICES names them: "
              "indexes in the order of the bus, or UUIDs; empty: all",
              {.max_length = 4096}),
        field(
            "endsAt", &AgentConfig::ends_at,
            "when this host goes away, as its batch system or cloud says: the node gets only "
            "runs that end before, no sessions and no code of /execute; it stops then. When it "
            "stops, it leaves the controller's list unless a run of it is there; absent: it stays"),
        field("idleExit", &AgentConfig::idle_exit,
              "the agent stops once no run and no session was here for so long; absent: never"),
        field("logLevel", &AgentConfig::log_level, "debug, info, warn or error"));
  }
  void validate(wire::Check& check) const;
};

// The text of a configuration file; variables override it: PADDOCK_NODE_AGENT_WHEEL_DIR sets
// `wheelDir`. Errors name each field, with its line in `file` (the text's name) or its variable.
Result<AgentConfig> parse_config(std::string_view yaml,
                                 const std::map<std::string, std::string>& environment = {},
                                 const std::string& file = {});
// The flags are those of usage(); --instance is `paddock up`'s. Flags win over variables, variables
// over the file. InvalidArgument, reason USAGE.
Result<AgentConfig> config_from_arguments(
    std::span<char* const> arguments, const std::map<std::string, std::string>& environment = {});
std::string usage();

// The configured name as a node's: one with dots, as clusters give their nodes, is a host's.
std::string node_name(const std::string& configured);
// A host's name as a node's name: lower case, everything but a-z 0-9 - becomes -, at most 63.
std::string node_name_from(std::string_view host_name);

}  // namespace paddock::agent

template <>
struct paddock::wire::EnumNames<paddock::agent::LogLevelName> {
  using E = agent::LogLevelName;
  static constexpr std::array values = {std::pair{E::kDebug, std::string_view("debug")},
                                        std::pair{E::kInfo, std::string_view("info")},
                                        std::pair{E::kWarn, std::string_view("warn")},
                                        std::pair{E::kError, std::string_view("error")}};
};

#include "node-agent/app/config.h"

#include <algorithm>
#include <set>
#include <vector>

#include "common/base/program_options.h"
#include "common/base/text.h"
#include "common/contracts/domain_rule.h"
#include "common/contracts/etc_names.h"
#include "common/contracts/package_index.h"
#include "common/http/http_client.h"
#include "common/os/file.h"
#include "common/wire/places.h"
#include "common/wire/settings.h"

namespace paddock::agent {
namespace {

struct Flag {
  ProgramOption option;
  std::string_view key = {};  // of the file; empty: the option stands for none
  std::string& (*member)(AgentConfig&) = nullptr;
};
constexpr std::array kFlags = {
    Flag{{"--config", "FILE"}},
    Flag{{"--server", "URL"},
         "server",
         [](AgentConfig& config) -> std::string& { return config.server; }},
    Flag{{"--ca-file", "FILE"},
         "caFile",
         [](AgentConfig& config) -> std::string& { return config.ca_file; }},
    Flag{{"--data-dir", "DIR"},
         "dataDir",
         [](AgentConfig& config) -> std::string& { return config.data_dir; }},
    Flag{{"--name", "NAME"},
         "name",
         [](AgentConfig& config) -> std::string& { return config.name; }},
    Flag{{"--enroll-token-file", "FILE"},
         "enrollTokenFile",
         [](AgentConfig& config) -> std::string& { return config.enroll_token_file; }},
    Flag{{"--wheel-dir", "DIR"},
         "wheelDir",
         [](AgentConfig& config) -> std::string& { return config.wheel_dir; }},
    Flag{{"--python-index", "URL"},
         "packages.pythonIndex",
         [](AgentConfig& config) -> std::string& { return config.packages.python_index; }},
    Flag{{"--npm-registry", "URL"},
         "packages.npmRegistry",
         [](AgentConfig& config) -> std::string& { return config.packages.npm_registry; }},
    Flag{{"--packages-ca", "FILE"},
         "packages.caFile",
         [](AgentConfig& config) -> std::string& { return config.packages.ca_file; }},
    Flag{{"--max-runs", "N"}, "maxRuns"},
    Flag{{"--instance", "NAME"},
         "instance",
         [](AgentConfig& config) -> std::string& { return config.instance; }},
    Flag{{"--gpus", ""}},
    Flag{{"--version", ""}},
    Flag{{"--help", ""}}};

std::vector<ProgramOption> program_options() {
  std::vector<ProgramOption> out;
  for (const Flag& each : kFlags) out.push_back(each.option);
  return out;
}

Error wrong_usage(std::string what) { return invalid_argument("USAGE", std::move(what)); }

Status set_flag(AgentConfig& config, const GivenOption& given) {
  if (given.name == "--max-runs") {
    const auto count = parse_integer<int64_t>(given.value);
    if (!count) return wrong_usage("--max-runs takes a number");
    config.max_runs = *count;
    return {};
  }
  for (const Flag& each : kFlags) {
    if (each.option.name == given.name && each.member != nullptr) each.member(config) = given.value;
  }
  return {};
}

bool is_label(std::string_view name) {
  return !name.empty() && name.size() <= 63 && name.front() != '-' && name.back() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

void check_accelerators(const std::vector<devices::Accelerator>& declared, wire::Check& check) {
  std::set<std::string> ids;
  for (size_t i = 0; i < declared.size(); ++i) {
    const devices::Accelerator& each = declared[i];
    const std::string at = cat("accelerators[", i, "].");
    if (each.kind != "nvidia" && each.kind != "apple")
      check.fail(at + "kind", "must be nvidia or apple");
    if (!ids.insert(each.id).second) check.fail(at + "id", "is another's, too");
    for (const std::string& node : each.nodes) {
      if (!contracts::is_clean_absolute(node) || !node.starts_with("/dev/"))
        check.fail(at + "nodes", cat("\"", node, "\" must be the path of a node below /dev"));
    }
    for (const std::string& folder : each.libraries) {
      if (!contracts::is_clean_absolute(folder))
        check.fail(at + "libraries", cat("\"", folder, "\" must be an absolute path"));
    }
    for (const auto& [name, value] : each.env) {
      if (const std::string fault = contracts::variable_fault(name, value); !fault.empty())
        check.fail(cat(at, "env.", name), fault);
    }
  }
}

std::string flag_of(std::string_view key) {
  const auto found = std::ranges::find(kFlags, key, &Flag::key);
  return found == kFlags.end() || key.empty() ? "" : std::string(found->option.name);
}

// Checks the configuration again with the flags, since the flags may have spoiled one that was good
// without them.
Status check_whole(const AgentConfig& config) {
  wire::Check check;
  config.validate(check);
  if (config.max_runs < 0) check.fail("maxRuns", "must not be negative");
  if (check.ok()) return {};
  std::vector<std::string> flags;
  for (const Cause& each : check.causes()) flags.push_back(flag_of(each.field));
  return wire::with_places(check.error(), flags);
}

}  // namespace

void AgentConfig::validate(wire::Check& check) const {
  for (size_t i = 0; i < etc_files.size(); ++i) {
    if (const std::string fault = contracts::etc_name_fault(etc_files[i]); !fault.empty())
      check.fail(cat("etcFiles[", i, "]"), cat("\"", etc_files[i], "\" ", fault));
  }
  const std::vector<std::string> parts = split(name, '.');
  if (!name.empty() && !std::all_of(parts.begin(), parts.end(), is_label))
    check.fail("name", "must be a DNS name: labels of a-z, 0-9 and - between dots");
  for (const std::string& each : http::addresses_in(server)) {
    const bool http = each.starts_with("https://") || each.starts_with("http://");
    if (http && each.find(',') == std::string::npos) continue;
    check.fail("server",
               "must start with https:// (or http:// on loopback), as each of several by commas");
    break;
  }
  const std::pair<const char*, const std::string*> paths[] = {
      {"dataDir", &data_dir}, {"wheelDir", &wheel_dir}, {"packages.caFile", &packages.ca_file}};
  for (const auto& [key, value] : paths) {
    if (!value->empty() && value->front() != '/') check.fail(key, "must be an absolute path");
  }
  if (rotate_credential.value < Millis(1000)) check.fail("rotateCredential", "must be at least 1s");
  check_accelerators(accelerators, check);
  const std::pair<const char*, const std::string*> indexes[] = {
      {"packages.pythonIndex", &packages.python_index},
      {"packages.npmRegistry", &packages.npm_registry}};
  for (const auto& [key, value] : indexes) {
    if (value->empty()) continue;
    if (const auto index = contracts::parse_package_index(*value); !index) {
      check.fail(key, index.error().message);
    }
  }
  for (size_t i = 0; i < packages.file_hosts.size(); ++i) {
    const auto rule = contracts::parse_domain_rule(packages.file_hosts[i]);
    if (!rule || rule->subdomains)
      check.fail(cat("packages.fileHosts[", i, "]"), "must be a host's name, or name:port");
  }
}

Result<AgentConfig> parse_config(std::string_view yaml,
                                 const std::map<std::string, std::string>& environment,
                                 const std::string& file) {
  const wire::SettingsSource source(yaml, environment, "PADDOCK_NODE_AGENT_",
                                    wire::schema<AgentConfig>(), {.file = file});
  ASSIGN_OR_RETURN(const wire::Value document, source.read());
  return source.decoded<AgentConfig>(document, {"ceilings"});
}

Result<AgentConfig> config_from_arguments(std::span<char* const> arguments,
                                          const std::map<std::string, std::string>& environment) {
  const std::vector<std::string> words(arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(const std::vector<GivenOption> flags,
                   read_options(words, program_options(), "USAGE"));
  std::string file;
  std::string text;
  for (const GivenOption& each : flags) {
    if (each.name != "--config") continue;
    file = each.value;
    Result<std::string> read = os::read_file(file);
    if (!read.ok()) {
      Error error = read.error();
      error.message = cat(file, ": ", error.message);
      return error;
    }
    text = std::move(read).value();
  }
  ASSIGN_OR_RETURN(AgentConfig config, parse_config(text, environment, file));
  for (const GivenOption& each : flags) TRY(set_flag(config, each));
  TRY(check_whole(config));
  return config;
}

std::string usage() {
  return usage_of("paddock-node-agent", program_options()) +
         "--gpus prints what NVIDIA's driver says of its GPUs, as JSON, and ends.\n"
         "Every key of the file, and its PADDOCK_NODE_AGENT_… variable: node-agent.example.yaml\n";
}

std::string node_name(const std::string& configured) {
  return configured.find('.') == std::string::npos ? configured : node_name_from(configured);
}

std::string node_name_from(std::string_view host_name) {
  std::string out;
  for (const char c : ascii_lower(host_name)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) out += c;
    if (!plain && !out.empty() && out.back() != '-') out += '-';
  }
  out.resize(std::min<size_t>(out.size(), 63));
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "node" : out;
}

}  // namespace paddock::agent

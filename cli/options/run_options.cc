#include "cli/options/run_options.h"

#include "cli/options/env_file.h"
#include "cli/options/option_values.h"
#include "cli/options/policy_options.h"

namespace paddock::cli {
namespace {

using contracts::RunSpec;

constexpr int64_t kMostCores = 4096;
constexpr int64_t kMostAttempts = 100;
constexpr int64_t kMostPriority = 1000;

Result<Variables> variables(const Parsed& parsed, const Env& env, const OptionFiles& files) {
  Variables out;
  for (const OptionFiles::Named& file : files.variables) {
    ASSIGN_OR_RETURN(Variables read, parse_env_file(file.text, file.name, env.vars, "--env-file"));
    for (auto& [name, value] : read) out[name] = std::move(value);
  }
  for (const std::string& text : parsed.list("env")) TRY(add_variable(text, env.vars, out));
  return out;
}

contracts::Resources& resources_of(RunSpec& spec) {
  if (!spec.resources) spec.resources.emplace();
  return *spec.resources;
}

Status apply_resources(const Parsed& parsed, RunSpec& spec) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> cores,
                   integer_option(parsed, "cpu", 1, kMostCores));
  if (cores) resources_of(spec).cpu = cores;
  if (parsed.has("memory")) resources_of(spec).memory = spec.sandbox.limits.memory;
  if (parsed.has("disk")) resources_of(spec).disk = spec.sandbox.limits.fs_bytes;
  if (!parsed.has("accelerator")) return {};
  ASSIGN_OR_RETURN(resources_of(spec).accelerators, parse_accelerator(parsed.text("accelerator")));
  return {};
}

// `--retry 2`: twice again after the first time.
Status apply_retry(const Parsed& parsed, RunSpec& spec) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> times,
                   integer_option(parsed, "retry", 0, kMostAttempts - 1));
  if (times) spec.retry.emplace().max_attempts = *times + 1;
  return {};
}

// `--array 100`: 100 runs of the same, told apart by their index. `--nodes 4`: four at once, each
// on a node of its own.
Status apply_array(const Parsed& parsed, RunSpec& spec) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> count,
                   integer_option(parsed, "array", 1, contracts::kMostElements));
  ASSIGN_OR_RETURN(const std::optional<int64_t> parallel,
                   integer_option(parsed, "max-parallel", 1, contracts::kMostParallel));
  ASSIGN_OR_RETURN(const std::optional<int64_t> failed,
                   integer_option(parsed, "max-failed", 0, contracts::kMostElements));
  ASSIGN_OR_RETURN(const std::optional<int64_t> nodes,
                   integer_option(parsed, "nodes", 1, contracts::kMostMembers));
  if (nodes) spec.nodes = nodes;
  if (count) {
    if (!spec.array) spec.array.emplace();
    spec.array->count = *count;
  }
  for (const char* option : {"max-parallel", "max-failed"}) {
    if (parsed.has(option) && !spec.array)
      return invalid_argument("USAGE", "it is about the elements of an array; give --array too",
                              cat("--", option));
  }
  if (parallel) spec.array->max_parallel = parallel;
  if (failed) spec.array->max_failed_indexes = failed;
  return {};
}

Status apply_placement(const Parsed& parsed, RunSpec& spec) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> priority,
                   integer_option(parsed, "priority", -kMostPriority, kMostPriority));
  if (priority) spec.priority = *priority;
  ASSIGN_OR_RETURN(const auto labels, parse_labels(parsed.list("node-selector"), "node-selector"));
  for (const auto& [key, value] : labels) spec.node_selector[key] = value;
  return {};
}

Status apply_run_times(const Parsed& parsed, RunSpec& spec) {
  ASSIGN_OR_RETURN(const std::optional<Millis> timeout, duration_option(parsed, "timeout"));
  if (timeout) spec.timeout = wire::Duration{*timeout};
  ASSIGN_OR_RETURN(const std::optional<Millis> grace, wait_option(parsed, "grace"));
  if (grace) spec.termination_grace = wire::Wait{*grace};
  return {};
}

// The folder is one of the node's, and the run may be placed on any node: only the form is checked.
Status check_mounts(const Parsed& parsed) {
  for (const std::string& text : parsed.list("mount")) {
    if (text.starts_with('/')) continue;
    return invalid_argument(
        "INVALID_OPTION",
        cat("`", text,
            "`: SRC is a folder of the node, as an absolute path; the project's files "
            "are sent without it"),
        "--mount");
  }
  return {};
}

}  // namespace

std::vector<OptionRow> run_option_rows() {
  std::vector<OptionRow> rows = {
      {"-e,--env", "NAME=VALUE",
       "variable of the command, NAME alone: your own value; may be repeated", true},
      {"--env-file", "FILE", "file with a NAME=VALUE per line; may be repeated", true},
      {"--secret", "NAME[/KEY][=VARIABLE]",
       "value of a Secret, as file /run/secrets/NAME/KEY or variable; may be repeated", true},
      {"--stdin", "FILE", "standard input of the command; - reads it from stdin"},
      {"--timeout,--wall-time", "D", "wall time, e.g. 90s or 2h; 30m unless given"},
      {"--grace", "D", "from SIGTERM to SIGKILL when it is ended early, e.g. 30s"},
      {"--cpu,--cpus", "N", "cores set aside, and no more than these used"},
      {"--accelerator", "KIND[=N]", "nvidia, apple or any"},
      {"--profile", "P", "sandbox profile; the type's own unless given"},
      {"--retry", "N", "times to try again if its node is lost; none unless given"},
      {"--array", "N", "that many runs of it as one; each finds its PADDOCK_ARRAY_INDEX, 0 to N-1"},
      {"--max-parallel", "N",
       "of an array: how many of its runs are there at once; 1000 unless given"},
      {"--max-failed", "N", "of an array: more failed runs than these end it; never unless given"},
      {"--nodes", "N",
       "all at once on N nodes or not at all; each finds its PADDOCK_RANK, 0 to N-1"},
      {"--priority", "N", "-1000 to 1000; higher goes first"},
      {"--node-selector", "KEY=VALUE", "label that the node must carry; may be repeated", true},
  };
  const std::vector<OptionRow> policy = policy_option_rows();
  rows.insert(rows.end() - 8, policy.begin(), policy.end());
  return rows;
}

Result<RunSpec> run_options(const Parsed& parsed, const Env& env, const OptionFiles& files,
                            RunSpec spec) {
  TRY(check_mounts(parsed));
  ASSIGN_OR_RETURN(spec.sandbox,
                   policy_options(parsed, env.cwd, files.policy, std::move(spec.sandbox)));
  ASSIGN_OR_RETURN(const Variables given, variables(parsed, env, files));
  for (const auto& [name, value] : given) spec.sandbox.env[name] = value;
  for (const std::string& text : parsed.list("secret")) {
    ASSIGN_OR_RETURN(contracts::SecretUse use, parse_secret(text));
    spec.secrets.push_back(std::move(use));
  }
  spec.profile = parsed.text("profile", spec.profile);
  TRY(apply_run_times(parsed, spec));
  TRY(apply_resources(parsed, spec));
  TRY(apply_retry(parsed, spec));
  TRY(apply_array(parsed, spec));
  TRY(apply_placement(parsed, spec));
  return spec;
}

}  // namespace paddock::cli

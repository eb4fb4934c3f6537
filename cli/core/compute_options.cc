#include "cli/core/compute_options.h"

#include "cli/core/names.h"
#include "cli/core/option_values.h"
#include "common/contracts/names.h"

namespace paddock::cli {
namespace {

// One word is a whole command as a string; more are argv as they are.
Result<contracts::Command> to_command(const std::vector<std::string>& words) {
  if (words.size() > 1) return contracts::Command{words, ""};
  const std::string line = words.empty() ? "" : words.front();
  ASSIGN_OR_RETURN(const std::vector<std::string> argv, contracts::split_command(line));
  return contracts::Command{argv, line};
}

// `paddock build` says which.
Result<contracts::RunType> run_type(const Parsed& parsed) {
  if (parsed.command != "build") return contracts::RunType::kCompute;
  const std::string type = parsed.text("type");
  if (type == "gradle") return contracts::RunType::kGradle;
  if (type == "script") return contracts::RunType::kScript;
  if (type == "test") return contracts::RunType::kTest;
  return invalid_argument("USAGE", cat("`", type, "` is not one of: gradle, script, test"),
                          "--type");
}

Result<std::string> publish_name(const Parsed& parsed) {
  std::string name = parsed.text("publish");
  if (!parsed.has("publish") || contracts::is_dns_label(name)) return name;
  return invalid_argument("VOLUME_NAME_INVALID",
                          cat("`", name,
                              "` is no name for a volume: lower-case letters, digits and '-', at "
                              "most 63, no '-' at the ends"),
                          "--publish");
}

}  // namespace

std::string project_path(std::string_view text) {
  const bool given = !text.empty();
  while (text.starts_with("./")) text.remove_prefix(2);
  while (text.size() > 1 && text.ends_with('/')) text.remove_suffix(1);
  return given && text.empty() ? "." : std::string(text);
}

Result<ComputeOptions> compute_options(const Parsed& parsed, const Env& env) {
  ComputeOptions options;
  ASSIGN_OR_RETURN(options.type, run_type(parsed));
  options.folder = absolute_path(env.cwd, parsed.text("DIR"));
  ASSIGN_OR_RETURN(options.command, to_command(parsed.list("CMD")));
  options.requirements = project_path(parsed.text("requirements"));
  for (const std::string& dir : parsed.list("artifact-dir"))
    options.artifact_dirs.push_back(project_path(dir));
  ASSIGN_OR_RETURN(options.publish, publish_name(parsed));
  for (const std::string& text : parsed.list("volume")) {
    ASSIGN_OR_RETURN(contracts::VolumeUse volume, parse_volume(text));
    options.volumes.push_back(std::move(volume));
  }
  ASSIGN_OR_RETURN(options.timeout, duration_option(parsed, "timeout"));
  if (parsed.has("accelerator")) {
    ASSIGN_OR_RETURN(options.accelerator, parse_accelerator(parsed.text("accelerator")));
  }
  options.name = parsed.text("name");
  options.name_space = parsed.text("namespace", "default");
  ASSIGN_OR_RETURN(options.labels, parse_labels(parsed.list("label")));
  options.output =
      parsed.has("output") ? absolute_path(env.cwd, parsed.text("output")) : options.folder;
  ASSIGN_OR_RETURN(options.progress, parse_progress_form(parsed.text("progress")));
  options.detach = parsed.has("detach");
  options.verbose = parsed.has("verbose");
  return options;
}

contracts::Run make_run(const ComputeOptions& options, const std::string& name,
                        const std::string& workspace) {
  contracts::Run run;
  run.metadata.name = name;
  run.metadata.name_space = options.name_space;
  run.metadata.labels = options.labels;
  run.spec.type = options.type;
  run.spec.command = options.command;
  run.spec.workspace = workspace;
  run.spec.requirements = options.requirements;
  run.spec.artifacts.dirs = options.artifact_dirs;
  run.spec.publish = options.publish;
  run.spec.volumes = options.volumes;
  if (options.timeout) run.spec.timeout = wire::Duration{*options.timeout};
  if (options.accelerator) {
    run.spec.resources.emplace();
    run.spec.resources->accelerators = options.accelerator;
  }
  return run;
}

}  // namespace paddock::cli

#include "cli/core/compute_options.h"

#include "cli/core/names.h"
#include "cli/core/option_values.h"

namespace paddock::cli {
namespace {

// One word is a whole command as a string; more are argv as they are.
Result<contracts::Command> to_command(const std::vector<std::string>& words) {
  if (words.size() > 1) return contracts::Command{words, ""};
  const std::string line = words.empty() ? "" : words.front();
  ASSIGN_OR_RETURN(const std::vector<std::string> argv, contracts::split_command(line));
  return contracts::Command{argv, line};
}

}  // namespace

std::string project_path(std::string_view text) {
  while (text.starts_with("./")) text.remove_prefix(2);
  while (text.size() > 1 && text.ends_with('/')) text.remove_suffix(1);
  return std::string(text);
}

Result<ComputeOptions> compute_options(const Parsed& parsed, const Env& env) {
  ComputeOptions options;
  options.folder = absolute_path(env.cwd, parsed.text("DIR"));
  ASSIGN_OR_RETURN(options.command, to_command(parsed.list("CMD")));
  options.requirements = project_path(parsed.text("requirements"));
  for (const std::string& dir : parsed.list("artifact-dir"))
    options.artifact_dirs.push_back(project_path(dir));
  options.publish = parsed.text("publish");
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
  run.spec.type = contracts::RunType::kCompute;
  run.spec.command = options.command;
  run.spec.workspace = workspace;
  run.spec.requirements = options.requirements;
  run.spec.artifacts.dirs = options.artifact_dirs;
  run.spec.publish = options.publish;
  if (options.timeout) run.spec.timeout = wire::Duration{*options.timeout};
  if (options.accelerator) {
    run.spec.resources.emplace();
    run.spec.resources->accelerators = options.accelerator;
  }
  return run;
}

}  // namespace paddock::cli

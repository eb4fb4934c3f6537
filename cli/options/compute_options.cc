#include "cli/options/compute_options.h"

#include "cli/options/names.h"
#include "cli/options/option_values.h"
#include "common/contracts/names.h"

namespace paddock::cli {
namespace {

// One word is a command line, which is split here; several are the arguments themselves.
Result<contracts::Command> to_command(const std::vector<std::string>& words) {
  if (words.size() > 1) return contracts::Command{words, ""};
  const std::string line = words.empty() ? "" : words.front();
  ASSIGN_OR_RETURN(const std::vector<std::string> argv, contracts::split_command(line));
  return contracts::Command{argv, line};
}

// The words of a program are passed on as they are, never split.
Result<contracts::Command> wanted_command(const Parsed& parsed, contracts::RunType type) {
  const bool program = parsed.has("PROGRAM");
  if (parsed.command == "plan" && program == parsed.has("CMD"))
    return invalid_argument(
        "USAGE", "one of the two: DIR and a quoted command, or a program and its words after `--`",
        "CMD");
  const bool as_they_are = parsed.command == "run" || type == contracts::RunType::kCommand;
  if (program && as_they_are) return contracts::Command{parsed.list("PROGRAM"), ""};
  return to_command(parsed.list(program ? "PROGRAM" : "CMD"));
}

// How to make a run of a type that these commands do not make; empty for any other type.
std::string_view way_of_type(std::string_view type) {
  if (type == "code") return "; a run of code is made by `paddock execute FILE.py --detach`";
  if (type == "agent")
    return "; a run of an agent is made from a file: `paddock create -f run.yaml` with `type: "
           "agent`";
  return "";
}

// `paddock build` needs --type; `plan` and `run` may have it.
Result<contracts::RunType> run_type(const Parsed& parsed) {
  using contracts::RunType;
  if (parsed.command == "compute") return RunType::kCompute;
  std::vector<RunType> types = {RunType::kGradle, RunType::kScript, RunType::kTest};
  if (parsed.command != "build")
    types.insert(types.begin(), {RunType::kCommand, RunType::kCompute});
  const bool program = parsed.command == "run" || parsed.has("PROGRAM");
  const std::string usual = program ? "command" : parsed.command == "plan" ? "compute" : "";
  const std::string asked = parsed.text("type", usual);
  std::vector<std::string> names;
  for (const RunType each : types) {
    names.emplace_back(wire::enum_name(each));
    if (names.back() == asked) return each;
  }
  return invalid_argument(
      "USAGE", cat("`", asked, "` is not one of: ", join(names, ", "), way_of_type(asked)),
      "--type");
}

}  // namespace

Result<std::string> publish_name(const Parsed& parsed) {
  std::string name = parsed.text("publish");
  if (!parsed.has("publish") || contracts::is_dns_label(name)) return name;
  return invalid_argument("VOLUME_NAME_INVALID",
                          cat("`", name,
                              "` is no name for a volume: lower-case letters, digits and '-', at "
                              "most 63, no '-' at the ends"),
                          "--publish");
}

std::string project_path(std::string_view text) {
  const bool given = !text.empty();
  while (text.starts_with("./")) text.remove_prefix(2);
  while (text.size() > 1 && text.ends_with('/')) text.remove_suffix(1);
  return given && text.empty() ? "." : std::string(text);
}

Result<ComputeOptions> compute_options(const Parsed& parsed, const Env& env,
                                       const OptionFiles& files) {
  ComputeOptions options;
  ASSIGN_OR_RETURN(options.type, run_type(parsed));
  if (parsed.has("DIR")) options.folder = absolute_path(env.cwd, parsed.text("DIR"));
  ASSIGN_OR_RETURN(options.command, wanted_command(parsed, options.type));
  ASSIGN_OR_RETURN(options.asked, run_options(parsed, env, files));
  options.stdin_source = parsed.text("stdin");
  options.requirements = project_path(parsed.text("requirements"));
  for (const std::string& dir : parsed.list("artifact-dir"))
    options.artifact_dirs.push_back(project_path(dir));
  ASSIGN_OR_RETURN(options.publish, publish_name(parsed));
  if (!options.publish.empty() && options.artifact_dirs.empty())
    return invalid_argument("PUBLISH_WITHOUT_ARTIFACTS",
                            "only what comes back is published: name its folders by --artifact-dir",
                            "--publish");
  for (const std::string& text : parsed.list("volume")) {
    ASSIGN_OR_RETURN(contracts::VolumeUse volume, parse_volume(text));
    options.volumes.push_back(std::move(volume));
  }
  options.name = parsed.text("name");
  options.name_space = parsed.text("namespace", "default");
  ASSIGN_OR_RETURN(options.labels, parse_labels(parsed.list("label")));
  const std::string& home = options.folder.empty() ? env.cwd : options.folder;
  options.output = parsed.has("output") ? absolute_path(env.cwd, parsed.text("output")) : home;
  ASSIGN_OR_RETURN(options.progress, parse_progress_form(parsed.text("progress")));
  options.detach = parsed.has("detach");
  options.wait_for_node = parsed.has("wait-for-node");
  options.verbose = parsed.has("verbose");
  return options;
}

contracts::Run make_run(const ComputeOptions& options, const std::string& name,
                        const std::string& workspace) {
  contracts::Run run;
  run.metadata.name = name;
  run.metadata.name_space = options.name_space;
  run.metadata.labels = options.labels;
  run.spec = options.asked;
  run.spec.type = options.type;
  run.spec.command = options.command;
  run.spec.workspace = workspace;
  run.spec.requirements = options.requirements;
  run.spec.artifacts.dirs = options.artifact_dirs;
  run.spec.publish = options.publish;
  run.spec.volumes = options.volumes;
  return run;
}

}  // namespace paddock::cli

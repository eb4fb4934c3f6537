#include "cli/options/rerun.h"

#include <algorithm>

#include "cli/options/compute_options.h"
#include "cli/options/option_values.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using contracts::Run;
using contracts::RunSpec;

constexpr size_t kSuffix = 5;         // as make_suffix makes it
constexpr size_t kLongestBase = 240;  // of a name's 253 characters
constexpr std::string_view kSuffixLetters = "bcdfghjklmnpqrstvwxz2456789";

Status can_be_repeated(const Run& before) {
  const std::string& name = before.metadata.name;
  if (!contracts::is_terminal(before.status.phase))
    return Error{Code::kFailedPrecondition, "RUN_NOT_ENDED",
                 cat("run ", name, " is still ", wire::enum_name(before.status.phase),
                     "; `paddock wait ", name, "` or `paddock cancel ", name, "` first")};
  if (const auto& element = before.status.element)
    return invalid_argument(
        "ARRAY_NOT_SUPPORTED",
        cat(name, element->members ? " is a member of gang " : " has its index from array ",
            element->array, "; `paddock rerun ", element->array, "` makes all of that again"),
        "NAME");
  if (before.status.tool_bundle)
    return Error{Code::kFailedPrecondition, "TOOL_BUNDLE_NOT_KEPT",
                 cat("the MCP servers of run ", name,
                     " are not kept; create it anew from its file: `paddock create -f`")};
  return {};
}

Status change_volumes(const Parsed& parsed, RunSpec& spec) {
  for (const std::string& text : parsed.list("volume")) {
    ASSIGN_OR_RETURN(contracts::VolumeUse volume, parse_volume(text));
    std::erase_if(spec.volumes, [&](const auto& each) { return each.name == volume.name; });
    spec.volumes.push_back(std::move(volume));
  }
  return {};
}

void change_artifacts(const Parsed& parsed, RunSpec& spec) {
  std::vector<std::string>& dirs = spec.artifacts.dirs;
  for (const std::string& text : parsed.list("artifact-dir")) {
    const std::string dir = project_path(text);
    if (std::ranges::find(dirs, dir) == dirs.end()) dirs.push_back(dir);
  }
}

// The tree of then and not what the workspace holds by now.
void pin_files(const Run& before, const Parsed& parsed, RunSpec& spec) {
  spec.workspace_root.clear();
  if (!spec.workspace.empty() && !parsed.has("latest-files"))
    spec.workspace_root = before.status.workspace_root;
}

Status change_labels(const Parsed& parsed, Run& run) {
  ASSIGN_OR_RETURN(const auto labels, parse_labels(parsed.list("label")));
  for (const auto& [key, value] : labels) run.metadata.labels[key] = value;
  return {};
}

}  // namespace

std::vector<OptionRow> rerun_option_rows() {
  std::vector<OptionRow> rows = run_option_rows();
  // The input of then is one of the run's files.
  std::erase_if(rows, [](const OptionRow& row) { return long_name(row) == "stdin"; });
  return rows;
}

std::string rerun_name(const std::string& name, const std::string& suffix) {
  std::string base = name;
  const size_t dash = base.rfind('-');
  const bool made_up = dash != std::string::npos && dash > 0 && base.size() - dash - 1 == kSuffix &&
                       base.find_first_not_of(kSuffixLetters, dash + 1) == std::string::npos;
  if (made_up) base.resize(dash);
  base.resize(std::min(base.size(), kLongestBase));
  while (base.ends_with('-') || base.ends_with('.')) base.pop_back();
  return cat(base, "-", suffix);
}

Result<Run> rerun_of(const Run& before, const Parsed& parsed, const Env& env,
                     const OptionFiles& files, const std::string& name) {
  TRY(can_be_repeated(before));
  Run run;
  run.metadata.name = name;
  run.metadata.name_space = before.metadata.name_space;
  run.metadata.labels = before.metadata.labels;
  run.metadata.annotations[kRerunOf] = before.metadata.name;
  TRY(change_labels(parsed, run));
  ASSIGN_OR_RETURN(run.spec, run_options(parsed, env, files, before.spec));
  run.spec.cancel_requested = false;
  if (parsed.has("PROGRAM")) run.spec.command = {parsed.list("PROGRAM"), ""};
  if (parsed.has("requirements")) run.spec.requirements = project_path(parsed.text("requirements"));
  if (parsed.has("publish")) {
    ASSIGN_OR_RETURN(run.spec.publish, publish_name(parsed));
  }
  TRY(change_volumes(parsed, run.spec));
  change_artifacts(parsed, run.spec);
  pin_files(before, parsed, run.spec);
  return run;
}

}  // namespace paddock::cli

// Turns the options of `paddock run`, `compute` and `build` into a Run. Pure.
#pragma once

#include <optional>

#include "cli/options/command_row.h"
#include "cli/options/run_options.h"
#include "cli/output/phases.h"
#include "cli/terminal/env.h"
#include "common/contracts/run.h"

namespace paddock::cli {

struct ComputeOptions {
  contracts::RunType type = contracts::RunType::kCompute;
  std::string folder;        // absolute; empty: no files of a project go with the run
  contracts::RunSpec asked;  // see run_options()
  std::string stdin_source;  // of --stdin
  contracts::Command command;
  std::string requirements;
  std::vector<std::string> artifact_dirs;
  std::string publish;
  std::vector<contracts::VolumeUse> volumes;
  std::string name;
  std::string name_space;
  std::map<std::string, std::string> labels;
  std::string output;  // absolute
  ProgressForm progress = ProgressForm::kAuto;
  bool detach = false;
  bool wait_for_node = false;
  bool verbose = false;
};

Result<ComputeOptions> compute_options(const Parsed& parsed, const Env& env,
                                       const OptionFiles& files = {});
// The object to create; `name` is the run's, `workspace` the name of the uploaded workspace.
contracts::Run make_run(const ComputeOptions& options, const std::string& name,
                        const std::string& workspace);
// VOLUME_NAME_INVALID.
Result<std::string> publish_name(const Parsed& parsed);
// A path of the project without `./` before and `/` behind; "." is the project itself.
std::string project_path(std::string_view text);

}  // namespace paddock::cli

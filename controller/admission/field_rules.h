// Fields of a run's spec that are judged by what they name: paths within its workspace, volumes,
// its tools. Pure.
#pragma once

#include "common/contracts/run.h"
#include "controller/admission/command_rules.h"
#include "controller/admission/refusals.h"

namespace paddock::admission {

// `files`: nullptr if nobody knows them yet.
void check_requirements(const contracts::RunSpec& spec, const FileNames* files, Refusals& out);
void check_stdin_file(const contracts::RunSpec& spec, const FileNames* files, Refusals& out);
void check_artifact_dirs(const contracts::RunSpec& spec, Refusals& out);
// A command may run without any files.
void check_workspace(const contracts::RunSpec& spec, Refusals& out);
void check_volumes(const contracts::RunSpec& spec, Refusals& out);
void check_publish(const contracts::RunSpec& spec, Refusals& out);
void check_tool_bundle(const contracts::RunSpec& spec, Refusals& out);

}  // namespace paddock::admission

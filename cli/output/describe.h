// `paddock describe`: one object in sections, for people. Pure.
#pragma once

#include <string>

#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"

namespace paddock::cli {

std::string describe_run(const contracts::Run& run, WallTime now);
std::string describe_workspace(const contracts::Workspace& workspace, WallTime now);
std::string describe_volume(const contracts::Volume& volume, WallTime now);
std::string describe_node(const contracts::Node& node, WallTime now);

}  // namespace paddock::cli

// The columns of each kind, and what stands in them for one object: what `paddock get` and kubectl
// print. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"
#include "common/contracts/grant.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/secret.h"
#include "common/contracts/tool_token.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"

namespace paddock::k8s {

// The cells of one row, in the order of the kind's columns.
wire::Value cells(const contracts::Run& run, WallTime now);
wire::Value cells(const contracts::Workspace& workspace, WallTime now);
wire::Value cells(const contracts::Volume& volume, WallTime now);
wire::Value cells(const contracts::Node& node, WallTime now);
wire::Value cells(const contracts::ToolToken& token, WallTime now);
wire::Value cells(const contracts::Sandbox& session, WallTime now);
wire::Value cells(const contracts::Grant& grant, WallTime now);
wire::Value cells(const contracts::Secret& secret, WallTime now);
wire::Value columns(std::string_view kind);
// The definition of a column. Columns of priority 0 are always shown, others only where more is
// asked for.
wire::Value column(std::string_view name, std::string_view type, std::string_view description,
                   int64_t priority = 0);
// The words of cells: how long ago, and what is not there.
std::string age(const std::optional<wire::Timestamp>& from, WallTime to);
std::string or_none(const std::string& text);

}  // namespace paddock::k8s

// How runs, workspaces and nodes look as lists and tables, and which of both a client asked for.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"

namespace paddock::k8s {

// Whether the first form in an Accept header that we can serve is a Table.
bool wants_table(std::string_view accept);

// The cells of one row, in the order of the kind's columns.
wire::Value cells(const contracts::Run& run, WallTime now);
wire::Value cells(const contracts::Workspace& workspace, WallTime now);
wire::Value cells(const contracts::Volume& volume, WallTime now);
wire::Value cells(const contracts::Node& node, WallTime now);
wire::Value columns(std::string_view kind);

// What `row.object` holds.
enum class IncludeObject { kMetadata, kObject, kNone };
IncludeObject parse_include_object(std::string_view text);

wire::Value table_row(wire::Value cells, const wire::Value& object, IncludeObject include);
wire::Value table(std::string_view kind, wire::Value list_meta, wire::Value rows);
wire::Value list(std::string_view kind, wire::Value list_meta, wire::Value items);

struct ListMeta {
  int64_t resource_version = 0;
  std::string continue_token;
  int64_t remaining = 0;  // 0: not told
};
wire::Value list_meta(const ListMeta& meta);

// Where a list goes on: opaque to clients. CONTINUE_INVALID.
std::string continue_token(std::string_view after);
Result<std::string> continue_after(std::string_view token);

}  // namespace paddock::k8s

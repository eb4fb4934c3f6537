// The tools of each subject as rows: what a tool says of itself, and the function that does it.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "common/mcp/arguments.h"
#include "common/mcp/tools.h"

namespace paddock::mcp {

// Where a call happens.
struct Place {
  Api& api;
  std::string name_space;
};

struct ToolRow {
  Tool tool;
  Result<wire::Value> (*call)(const Place& place, const Arguments& given);
};

// `folders`: the server can read folders of the caller's host.
std::vector<ToolRow> run_tools(bool folders);
std::vector<ToolRow> sandbox_tools();
std::vector<ToolRow> workspace_tools();
std::vector<ToolRow> host_tools();  // nodes, and snippets

// Says which members of an answer hold what programs wrote.
void mark_untrusted(wire::Value& answer, std::initializer_list<const char*> members);
// One page of a list of the API, the newest first unless it has another order.
Result<wire::Value> list_page(const Place& place, const std::string& target,
                              const Arguments& given);
// Adds to an answer where the next page begins, if there is one.
void set_cursor(wire::Value& answer, const wire::Value& page);
wire::Value cursor();
// A caller's word that makes a creation safe to repeat.
Result<std::string> idempotency_key(const Arguments& given);
wire::Value metadata_of(const std::string& name, const char* prefix);
// The denials of a result, few and short.
wire::Value denials_of(const wire::Value* denials);
wire::Value denials_schema();

}  // namespace paddock::mcp

// What each tool takes and answers, as JSON Schema 2020-12. `folders`: the server can read folders
// of the caller's host.
#pragma once

#include "common/mcp/protocol.h"

namespace paddock::mcp {

inline constexpr int64_t kMostSnippetSeconds =
    20;  // clients give up after half a minute or a minute

Tool start_tool(bool folders);
Tool wait_tool(bool folders);
Tool logs_tool(bool folders);
Tool artifacts_tool(bool folders);
Tool cancel_tool(bool folders);
Tool list_tool(bool folders);
Tool plan_tool(bool folders);
Tool nodes_tool(bool folders);
Tool execute_tool(bool folders);

}  // namespace paddock::mcp

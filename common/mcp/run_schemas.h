// The schemas of the arguments and answers of the tools for runs.
#pragma once

#include "common/mcp/tool_rows.h"

namespace paddock::mcp {

Tool run_start_tool(bool folders);
Tool run_plan_tool(bool folders);
Tool run_wait_tool();
Tool run_logs_tool();
Tool run_artifacts_tool();
Tool run_cancel_tool();
Tool run_list_tool();

}  // namespace paddock::mcp

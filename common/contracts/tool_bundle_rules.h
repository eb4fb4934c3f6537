// What an MCP server of a tool bundle may be. Pure. Nothing here repeats a value: it may be secret.
#pragma once

#include <string>

#include "common/contracts/tool_bundle.h"

namespace paddock::contracts {

// The first fault: the field of the server that has it, and why. Empty message: none.
struct McpServerFault {
  std::string field;
  std::string message;
};
McpServerFault fault_of(const McpServer& server);

}  // namespace paddock::contracts

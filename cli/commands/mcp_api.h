// The tools of MCP over a controller's public API, asked from this host.
#pragma once

#include <memory>
#include <string>

#include "cli/commands/mcp_calls.h"
#include "common/http/http_client.h"

namespace paddock::cli {

struct McpPlace {
  http::Endpoint endpoint;
  std::string root;  // the folders of this host that may be sent are below it
  std::string name_space;
  Millis patience;  // while nobody answers
};

// The real path, or nothing if there is none.
std::string real_path(const std::string& path);
// With connections of its own; `place` stays as long as it.
std::unique_ptr<Answerer> make_answerer(const McpPlace& place);

}  // namespace paddock::cli

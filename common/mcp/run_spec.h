// Turns an agent's arguments into the spec of a run of the public API. Faults in it are found by
// the API.
#pragma once

#include "common/mcp/tool_rows.h"

namespace paddock::mcp {

wire::Value run_document(wire::Value metadata, wire::Value spec);

struct WantedRun {
  wire::Value spec;
  Api::LeftOut left_out;  // of the folder that it names
};

// `upload`: that folder is stored first, unless such a run would be refused.
Result<WantedRun> wanted_run(const Place& place, const Arguments& given, bool upload);

}  // namespace paddock::mcp

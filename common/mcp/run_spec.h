// What an agent says of a run, as a spec of the public API; what is wrong with it, the API says.
#pragma once

#include "common/mcp/tool_rows.h"

namespace paddock::mcp {

wire::Value run_document(wire::Value metadata, wire::Value spec);

// `upload`: the folder that it names is stored first, unless such a run would be refused.
Result<wire::Value> run_spec_of(const Place& place, const Arguments& given, bool upload);

}  // namespace paddock::mcp

// What an agent says of a run, as a spec of the public API; what is wrong with it, the API says.
#pragma once

#include "common/mcp/tool_rows.h"

namespace paddock::mcp {

// `upload`: the folder that it names is stored first.
Result<wire::Value> run_spec_of(const Place& place, const Arguments& given, bool upload);

}  // namespace paddock::mcp

// RUN:PATH, a place in the workspace of a run. Pure.
#pragma once

#include <string>

#include "common/base/result.h"

namespace paddock::cli {

struct RunPath {
  std::string run;   // as it was typed: NAME, run/NAME
  std::string path;  // beneath the workspace, clean; empty: the workspace itself
};

// `RUN`, `RUN:out/model.pt`, or as the command knows it, `RUN:/workspace/out/model.pt`. USAGE: it
// is another folder than the workspace, or leads out of it.
Result<RunPath> parse_run_path(const std::string& text, const std::string& argument);

// Whether this is one name in a folder, and nothing that leads elsewhere: a node says it.
bool is_plain_name(const std::string& name);

}  // namespace paddock::cli

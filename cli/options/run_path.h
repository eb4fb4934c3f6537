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

// Whether this means a place in a run (`RUN:PATH`, `run/RUN:PATH`) and not a file here: what begins
// with `/` or `.` is a file, whatever is in its name.
bool is_run_path(const std::string& text);

// Where a file called `name` goes that is copied to this place: into the workspace itself, or a
// folder that ends with a slash, under its own name. The place's errors are those above.
Result<RunPath> parse_put_path(const std::string& text, const std::string& name,
                               const std::string& argument);

// Whether this is one name in a folder, and nothing that leads elsewhere: a node says it.
bool is_plain_name(const std::string& name);

}  // namespace paddock::cli

// One command that somebody waits for, in a session or in a run: its output as it comes, its exit
// code as ours.
#pragma once

#include <string>

#include "cli/client/watching.h"
#include "cli/output/output_format.h"
#include "cli/terminal/env.h"
#include "common/wire/value.h"

namespace paddock::cli {

struct CommandCall {
  std::string target;  // takes it by POST; with `?stream=true` its output comes while it runs
  wire::Value body;
  Millis time{0};  // the most that it may take
};

// With a document format the whole answer is written, and nothing before it. The exit code; an
// error has been told already.
int run_command_call(Watcher& watcher, const CommandCall& call, const Env& env,
                     OutputFormat format);

}  // namespace paddock::cli

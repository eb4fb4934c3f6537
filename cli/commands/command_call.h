// One command that somebody waits for, in a session or in a run: its output as it comes, its exit
// code as ours.
#pragma once

#include <functional>
#include <string>

#include "cli/client/watching.h"
#include "cli/output/output_format.h"
#include "cli/terminal/env.h"
#include "common/wire/value.h"

namespace paddock::cli {

struct CommandCall {
  std::string target;  // takes it by POST; with `?stream=true` its output comes while it runs
  wire::Value body;
  Millis time{0};     // the most that it may take
  std::string stays;  // what is there when the command has ended: `the run`
  bool raw = false;   // its output is for our terminal as it is: it drives it, as is its purpose
  // Called once it is under way, and once it has ended, before anything is told of that.
  std::function<void()> on_started = {};
  std::function<void()> on_ended = {};
};

// With a document format the whole answer is written, and nothing before it. The exit code, or why
// there is none: STREAM_LOST, the command had begun and the connection broke.
Result<int> command_call(Watcher& watcher, const CommandCall& call, const Env& env,
                         OutputFormat format);
// Says why there is none, and that the command does not go on without its caller.
// The exit code.
int tell_no_end(const CommandCall& call, const Error& error, const Env& env);

}  // namespace paddock::cli

// Doing the same to many objects: a failure is told and does not stop the others.
#pragma once

#include "cli/terminal/env.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"

namespace paddock::cli {

// Calls `act` with each item. The exit code is that of the first failure; one that was given up on
// (Ctrl-C) ends it at once. `starting`: see exit_code_of().
template <class Items, class Act>
Result<int> for_each(const Items& items, const Env& env, const Act& act, bool starting = false) {
  int code = kExitOk;
  for (const auto& item : items) {
    const Status done = act(item);
    if (done.ok()) continue;
    if (done.error().reason == "ABORTED") return done.error();
    const int failed = fail(env, done.error(), starting);
    if (code == kExitOk) code = failed;
  }
  return code;
}

}  // namespace paddock::cli

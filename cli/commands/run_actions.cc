// `paddock wait` and `cancel`.
#include "cli/commands/commands.h"
#include "cli/core/error_text.h"
#include "cli/core/exit_codes.h"
#include "cli/core/option_values.h"
#include "cli/core/run_report.h"
#include "cli/core/watching.h"

namespace paddock::cli {

int wait_command(const Parsed& parsed, Env& env) {
  const auto timeout = duration_option(parsed, "timeout");
  if (!timeout.ok()) return fail(env, timeout.error());
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const contracts::Run run, wait_for_end(watcher.client, run_ref(parsed), env,
                                                            timeout->value_or(Millis(0))));
    env.say(run_line(run));
    return exit_code_of(run);
  });
}

int cancel_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    const RunRef run = run_ref(parsed);
    const bool at_once = parsed.has("now");
    TRY(watcher.client.cancel_run(run.name_space, run.name, at_once));
    env.say(cat("run ", run.name, at_once ? " is being killed" : " is being canceled"));
    return kExitOk;
  });
}

}  // namespace paddock::cli

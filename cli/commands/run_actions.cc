// `paddock wait` and `cancel`.
#include <algorithm>
#include <optional>

#include "cli/client/name_choice.h"
#include "cli/client/other_kind.h"
#include "cli/client/run_end.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/option_values.h"
#include "cli/output/run_report.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/for_each.h"

namespace paddock::cli {
namespace {

// A name that is wrong is told now and not when the others have ended, which may be hours later.
Status all_are_there(client::ControllerClient& client, const Parsed& parsed,
                     const std::vector<RunRef>& runs, const Env& env) {
  if (runs.size() == 1) return {};  // waiting for it says so at once
  for (const RunRef& each : runs) {
    const auto run = get_run_patiently(client, each, env);
    if (!run.ok()) return with_other_kind(client, parsed, each.name, run.error());
  }
  return {};
}

Status cancel_one(Watcher& watcher, const RunRef& ref, bool at_once, const Env& env) {
  ASSIGN_OR_RETURN(const contracts::Run before, watcher.client.get_run(ref.name_space, ref.name));
  if (contracts::is_terminal(before.status.phase)) {
    env.say(cat("run ", ref.name, " has ended already (", wire::enum_name(before.status.phase),
                "); there is nothing to cancel"));
    return {};
  }
  TRY(watcher.client.cancel_run(ref.name_space, ref.name, at_once));
  env.say(cat("run ", ref.name, at_once ? " is being killed" : " is being canceled"));
  return {};
}

// The exit code is the first one that is not 0, once all have ended.
Result<int> wait_for_all(Watcher& watcher, const Parsed& parsed, const Env& env,
                         std::optional<MonoTime> until) {
  ASSIGN_OR_RETURN(const std::vector<RunRef> runs, chosen_runs(watcher.client, parsed));
  if (parsed.text("selector").empty()) TRY(all_are_there(watcher.client, parsed, runs, env));
  int code = kExitOk;
  for (const RunRef& each : runs) {
    const Millis left = until ? std::max(*until - env.clock.mono(), Millis(1)) : Millis(0);
    const auto run = wait_for_end(watcher.client, each, env, left);
    // One that was deleted meanwhile ends no waiting for the others.
    if (!run.ok() && run.error().code != Code::kNotFound) return run.error();
    const int its_own =
        run.ok() ? exit_code_of(*run)
                 : fail(env, with_other_kind(watcher.client, parsed, each.name, run.error()));
    if (run.ok()) env.say(run_line(*run));
    if (code == kExitOk) code = its_own;
  }
  return code;
}

}  // namespace

int wait_command(const Parsed& parsed, Env& env) {
  const auto timeout = wait_option(parsed, "timeout");
  if (!timeout.ok()) return fail(env, timeout.error());
  // Nor is a controller that is away awaited for longer.
  if (timeout->value_or(Millis(0)) > Millis(0)) env.patience = std::min(env.patience, **timeout);
  std::optional<MonoTime> until;
  if (*timeout) until = env.clock.mono() + **timeout;
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    const Result<int> code = wait_for_all(watcher, parsed, env, until);
    return code.ok() ? code : or_timeout(code.error(), until, env);
  });
}

int cancel_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::vector<RunRef> runs, chosen_runs(watcher.client, parsed));
    return for_each(runs, env, [&](const RunRef& each) {
      return or_other_kind(watcher.client, parsed, each.name,
                           cancel_one(watcher, each, parsed.has("now"), env));
    });
  });
}

}  // namespace paddock::cli

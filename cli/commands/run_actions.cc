// `paddock wait` and `cancel`.
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/core/error_text.h"
#include "cli/core/exit_codes.h"
#include "cli/core/for_each.h"
#include "cli/core/object_choice.h"
#include "cli/core/option_values.h"
#include "cli/core/run_report.h"
#include "cli/core/watching.h"

namespace paddock::cli {

namespace {

// By names, or all that a selector chooses now.
Result<std::vector<RunRef>> chosen_runs(client::ControllerClient& client, const Parsed& parsed) {
  ASSIGN_OR_RETURN(std::vector<RunRef> named, run_refs(parsed));
  if (named.empty() == parsed.text("selector").empty())
    return invalid_argument("USAGE", "say which: names, or --selector for several", "NAME");
  if (!named.empty()) return named;
  const ObjectChoice all{.kind = Kind::kRun,
                         .name_space = parsed.text("namespace", "default"),
                         .selector = parsed.text("selector")};
  TRY(client.list(all.target(), client::ListForm::kMetadata, [&](wire::Value& page) -> Status {
    for (const wire::Value& each : items_of(all, page))
      named.push_back({each.text("metadata.namespace"), each.text("metadata.name")});
    return {};
  }));
  if (named.empty())
    return Error{Code::kNotFound, "NO_RUN", cat("no run has the labels ", all.selector)};
  return named;
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

}  // namespace

// The exit code is the first one that is not 0, once all have ended.
int wait_command(const Parsed& parsed, Env& env) {
  const auto timeout = duration_option(parsed, "timeout");
  if (!timeout.ok()) return fail(env, timeout.error());
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::vector<RunRef> runs, chosen_runs(watcher.client, parsed));
    const MonoTime until = env.clock.mono() + timeout->value_or(Millis(0));
    int code = kExitOk;
    for (const RunRef& each : runs) {
      const Millis left = std::max(until - env.clock.mono(), Millis(1));
      ASSIGN_OR_RETURN(const contracts::Run run,
                       wait_for_end(watcher.client, each, env, *timeout ? left : Millis(0)));
      env.say(run_line(run));
      if (code == kExitOk) code = exit_code_of(run);
    }
    return code;
  });
}

int cancel_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::vector<RunRef> runs, chosen_runs(watcher.client, parsed));
    return for_each(runs, env, [&](const RunRef& each) {
      return cancel_one(watcher, each, parsed.has("now"), env);
    });
  });
}

}  // namespace paddock::cli

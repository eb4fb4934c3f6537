// `paddock wait`, `cancel` and `artifacts`.
#include "cli/commands/commands.h"
#include "cli/core/error_text.h"
#include "cli/core/exit_codes.h"
#include "cli/core/fetch_artifacts.h"
#include "cli/core/names.h"
#include "cli/core/option_values.h"
#include "cli/core/run_report.h"
#include "cli/core/table.h"
#include "cli/core/watching.h"

namespace paddock::cli {
namespace {

void list_artifacts(const std::vector<contracts::Artifact>& artifacts, const Env& env) {
  if (artifacts.empty()) return env.say("the run has no artifacts");
  Table table{{"PATH", "SIZE", "SHA-256"}, {}};
  for (const auto& each : artifacts)
    table.rows.push_back({each.path, format_bytes(each.size), each.digest});
  env.out.write(render(table));
}

Result<int> artifacts(Watcher& watcher, const Parsed& parsed, const Env& env) {
  const RunRef ref = run_ref(parsed);
  ASSIGN_OR_RETURN(const contracts::Run run, watcher.client.get_run(ref.name_space, ref.name));
  const bool ended = contracts::is_terminal(run.status.phase);
  if (!ended && !run.status.artifacts.empty())
    env.say(cat("attempt ", run.status.attempt, " has not ended; these are of an earlier one"));
  if (!ended && run.status.artifacts.empty()) {
    return Error{Code::kFailedPrecondition, "RUN_NOT_ENDED",
                 cat("run ", ref.name, " is still ", wire::enum_name(run.status.phase),
                     "; `paddock wait` waits for its end")};
  }
  Status brought;
  if (!parsed.has("output")) {
    list_artifacts(run.status.artifacts, env);
  } else {
    const std::string folder = absolute_path(env.cwd, parsed.text("output"));
    ASSIGN_OR_RETURN(const Fetched fetched,
                     fetch_artifacts(watcher.endpoint, ref, run.status.artifacts, folder, env));
    for (const auto& each : run.status.artifacts) env.out.write(cat(printable(each.path), "\n"));
    env.say(cat(fetched.files, fetched.files == 1 ? " file, " : " files, ",
                format_bytes(fetched.bytes)));
    brought = all_fetched(fetched);
  }
  if (!run.status.left_out.empty()) {
    env.say("not brought back:");
    env.err.write(left_out_text(run.status.left_out, kAllLeftOut, "  "));
  }
  TRY(std::move(brought));
  return kExitOk;
}

}  // namespace

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

int artifacts_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return artifacts(watcher, parsed, env); });
}

}  // namespace paddock::cli

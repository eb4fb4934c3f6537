// `paddock rerun`: ended runs once more, by new names.
#include "cli/options/rerun.h"

#include "cli/client/name_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/option_files.h"
#include "cli/terminal/for_each.h"
#include "cli/terminal/safe_output.h"
#include "common/base/random.h"

namespace paddock::cli {
namespace {

// Adds the way that works if the files of the earlier run are no longer there.
Error with_way(const contracts::Run& wanted, Error error) {
  if (error.reason == "WORKSPACE_CHANGED")
    error.message =
        cat("run ", wanted.metadata.annotations.at(kRerunOf), " had other files than workspace ",
            wanted.spec.workspace, " has now; --latest-files takes these");
  return error;
}

Status rerun_one(Watcher& watcher, const RunRef& ref, const Parsed& parsed,
                 const OptionFiles& files, Env& env) {
  ASSIGN_OR_RETURN(const contracts::Run before, watcher.client.get_run(ref.name_space, ref.name));
  const std::string name =
      parsed.text("name", rerun_name(before.metadata.name, make_suffix(env.random)));
  ASSIGN_OR_RETURN(const contracts::Run wanted, rerun_of(before, parsed, env, files, name));
  const Result<contracts::Run> made = watcher.client.create_run(wanted, make_uuid(env.random));
  if (!made.ok()) return with_way(wanted, made.error());
  env.say(cat("run ", printable(ref.name), " once more"));
  env.out.write(cat(printable(made->metadata.name), "\n"));
  return {};
}

}  // namespace

int rerun_command(const Parsed& parsed, Env& env) {
  const Result<OptionFiles> files = read_option_files(parsed);
  if (!files.ok()) return fail(env, files.error());
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::vector<RunRef> runs, chosen_runs(watcher.client, parsed));
    if (parsed.has("name") && runs.size() > 1)
      return invalid_argument("USAGE", cat("it names one run, and these are ", runs.size()),
                              "--name");
    return for_each(
        runs, env,
        [&](const RunRef& each) { return rerun_one(watcher, each, parsed, *files, env); }, true);
  });
}

}  // namespace paddock::cli

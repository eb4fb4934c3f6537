// `paddock exec`: one command in the sandbox of a run that runs, its output as it comes.
#include "cli/client/name_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/command_call.h"
#include "cli/commands/commands.h"
#include "cli/options/option_values.h"
#include "cli/terminal/error_text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/run_exec.h"

namespace paddock::cli {
namespace {

namespace paths = contracts::paths;

Result<CommandCall> call_of(const Parsed& parsed) {
  ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kRun, parsed.text("NAME")));
  contracts::RunCommandRequest request;
  request.command = parsed.list("CMD");
  request.command_id = parsed.text("id");
  ASSIGN_OR_RETURN(const auto time, duration_option(parsed, "timeout"));
  if (time) request.timeout_ms = time->count();
  return CommandCall{cat(paths::run(parsed.text("namespace", "default"), name), "/commands"),
                     wire::encode(request),
                     Millis(request.timeout_ms.value_or(contracts::run_exec::kUsualTimeMs))};
}

}  // namespace

int exec_command(const Parsed& parsed, Env& env) {
  const auto call = call_of(parsed);
  if (!call.ok()) return fail(env, call.error());
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
    return run_command_call(watcher, *call, env, format);
  });
}

}  // namespace paddock::cli

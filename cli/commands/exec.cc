// `paddock exec`: one command in the sandbox of a run that runs, its output as it comes.
#include "cli/client/name_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/command_call.h"
#include "cli/commands/commands.h"
#include "cli/grammar/usage_errors.h"
#include "cli/options/option_files.h"
#include "cli/options/option_values.h"
#include "cli/terminal/error_text.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/run_exec.h"

namespace paddock::cli {
namespace {

namespace paths = contracts::paths;

// Read to its end before the command begins: it has its whole input whatever becomes of us.
Result<std::string> input_of(const Parsed& parsed) {
  if (parsed.has("tty"))
    return usage_error(
        "`-t`: a command in a run has no terminal; leave it out, and with -i alone it reads what "
        "is piped to it");
  if (!parsed.has("stdin")) return std::string();
  constexpr size_t kMost = contracts::run_exec::kMostInputBytes;
  auto bytes = read_file_or_stdin("-", kMost);
  if (bytes.ok() || bytes.error().reason != "FILE_TOO_LARGE") return bytes;
  return invalid_argument("STDIN_TOO_LARGE",
                          cat("more than ", kMost,
                              " bytes came through standard input; send it in parts: "
                              "split -b 8M FILE, and each by "
                              "paddock exec -i RUN -- sh -c 'cat >> FILE'"),
                          "-i");
}

Result<CommandCall> call_of(const Parsed& parsed) {
  ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kRun, parsed.text("NAME")));
  contracts::RunCommandRequest request;
  request.command = parsed.list("CMD");
  request.command_id = parsed.text("id");
  ASSIGN_OR_RETURN(const auto time, duration_option(parsed, "timeout"));
  if (time) request.timeout_ms = time->count();
  ASSIGN_OR_RETURN(const std::string input, input_of(parsed));
  request.input = base64(input);
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

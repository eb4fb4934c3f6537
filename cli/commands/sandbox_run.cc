// `paddock sandbox run`: a sandbox right here; the current folder is its workspace.
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/grammar/limits_text.h"
#include "cli/instance/launch_judged.h"
#include "cli/options/option_files.h"
#include "cli/options/sandbox_options.h"
#include "cli/output/run_report.h"
#include "cli/terminal/elapsed.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/safe_output.h"
#include "cli/terminal/terminal_lines.h"
#include "common/contracts/sandbox_refusal.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

// A launcher of root gives the command the folder's own owner, so that it can work in it.
void set_uid(const Env& env, contracts::LaunchRequest& request) {
  struct stat folder = {};
  if (!env.root || ::stat(env.cwd.c_str(), &folder) != 0 || folder.st_uid == 0) return;
  request.uid = folder.st_uid;
}

void pass_on(const contracts::Frame& frame, const Env& env, TerminalLines& lines) {
  const Stream& stream = frame.type == contracts::FrameType::kStderr ? env.err : env.out;
  stream.tty ? lines.put(stream, terminal_safe(frame.payload)) : stream.write(frame.payload);
}

void report(const contracts::SandboxResult& result, const SandboxOptions& options,
            const std::string& command, const Env& env) {
  if (options.verbose || worth_telling(result)) {
    env.err.write(enforced_text(result));
    env.err.write(denials_text(result.denials));
  }
  env.err.write(unreached_text(result));
  env.err.write(limits_struck(result, command));
  const bool good = result.status == contracts::SandboxStatus::kOk;
  if (good && !options.verbose) return;
  const bool refused = contracts::refusal_of(result).has_value();
  const std::string_view status = refused ? "REFUSED" : wire::enum_name(result.status);
  const std::string line = cat("sandbox: ", status, " rc ", result.rc, " after ",
                               elapsed_text(Millis(result.duration_ms)),
                               result.reason.empty() ? "" : cat(": ", printable(result.reason)));
  env.say(paint(env.err, good ? Paint::kGreen : Paint::kRed, line));
}

Result<int> sandbox_run(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const std::optional<std::string> policy, read_policy(parsed));
  ASSIGN_OR_RETURN(SandboxOptions options, sandbox_options(parsed, env, policy));
  set_uid(env, options.request);
  TerminalLines lines;
  const auto on_output = [&](const contracts::Frame& frame) {
    if (!options.json) pass_on(frame, env, lines);
  };
  const bool tests = parsed.command == "pytest";
  ASSIGN_OR_RETURN(const contracts::SandboxResult result,
                   tests ? launch_judged_here(env, options.request, on_output)
                         : launch_here(env, options.request, on_output));
  if (options.json) {
    env.out.write(wire::to_pretty_json(wire::encode(result)));
  } else {
    if (env.err.tty) lines.end_open_line();
    report(result, options, parsed.command, env);
  }
  return exit_code_of(result);
}

}  // namespace

int sandbox_run_command(const Parsed& parsed, Env& env) {
  const Result<int> code = sandbox_run(parsed, env);
  return code.ok() ? *code : fail(env, code.error(), true);
}

}  // namespace paddock::cli

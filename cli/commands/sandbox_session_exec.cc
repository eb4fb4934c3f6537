// `paddock sandbox exec`: one command in a session, its output as it comes.
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/client/name_choice.h"
#include "cli/client/other_kind.h"
#include "cli/client/watching.h"
#include "cli/commands/command_call.h"
#include "cli/commands/commands.h"
#include "cli/options/session_options.h"
#include "cli/terminal/error_text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/sandbox.h"

namespace paddock::cli {
namespace {

namespace paths = contracts::paths;

Result<CommandCall> call_of(Watcher& watcher, const Parsed& parsed) {
  ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kSandbox, parsed.text("NAME")));
  const std::string session = paths::object(parsed.text("namespace", "default"), "sandboxes", name);
  ASSIGN_OR_RETURN(const wire::Value object,
                   or_other_kind(watcher.client, parsed, name, watcher.client.get(session)));
  const wire::Value* time = object.at("spec.security.limits.timeoutMs");
  const int64_t* time_ms = time == nullptr ? nullptr : time->integer();
  return CommandCall{
      cat(session, "/commands"),
      wire::encode(contracts::CommandRequest{shell_text(parsed.list("CMD")), parsed.text("id")}),
      Millis(time_ms == nullptr ? contracts::session_defaults::kTimeoutMs : *time_ms),
      "the session"};
}

// Whether something came through standard input that nobody has read: the rest of a pipe, or a file
// of which nothing was read. Asked once the command has ended, so that no writer is too late.
bool input_is_left() {
  struct stat info = {};
  if (::fstat(STDIN_FILENO, &info) != 0) return false;
  if (S_ISREG(info.st_mode)) return info.st_size > 0 && ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  int waiting = 0;
  return S_ISFIFO(info.st_mode) && ::ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0;
}

void tell_unread_input(const Env& env) {
  if (!input_is_left()) return;
  env.say(
      "note: what came through standard input was not read: a session's command has none. Put it "
      "into a file with `paddock sandbox files NAME PATH --put -`, and read that: `… < PATH`");
}

}  // namespace

int sandbox_exec_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
    const auto call = call_of(watcher, parsed);
    if (!call.ok()) return fail(env, call.error(), true);
    const auto code = command_call(watcher, *call, env, format);
    tell_unread_input(env);
    return code.ok() ? *code : tell_no_end(*call, code.error(), env);
  });
}

}  // namespace paddock::cli

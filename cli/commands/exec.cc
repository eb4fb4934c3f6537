// `paddock exec`: one command in the sandbox of a run that runs, its output as it comes, and if it
// is wanted a terminal.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cli/client/name_choice.h"
#include "cli/client/other_kind.h"
#include "cli/client/watching.h"
#include "cli/commands/command_call.h"
#include "cli/commands/commands.h"
#include "cli/commands/input_sender.h"
#include "cli/grammar/other_way.h"
#include "cli/grammar/usage_errors.h"
#include "cli/options/option_values.h"
#include "cli/output/output_format.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/raw_terminal.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/run_exec.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

namespace paths = contracts::paths;

// Like `docker exec` and `kubectl exec`, except that no terminal is made where no person sits at
// one.
Status check_terminal(const Parsed& parsed, const Env& env) {
  if (!parsed.has("tty")) return {};
  if (parsed.has("stdin") && !env.stdin_tty)
    return usage_error(
        "`-t`: standard input is no terminal; leave -t out, and with -i alone the command reads "
        "what is piped to it");
  if (!env.stdin_tty && !env.out.tty)
    return usage_error("`-t`: there is no terminal here; leave it out");
  if (parsed.has("output"))
    return usage_error("`-t`: a terminal's output is shown as it comes; leave out -o or -t");
  return {};
}

Error input_too_large() {
  return invalid_argument("STDIN_TOO_LARGE",
                          cat("more than ", contracts::run_exec::kMostInputBytes,
                              " bytes came through standard input, which go only with output as "
                              "it comes: leave out -o"),
                          "-i");
}

struct ExecWish {
  CommandCall call;
  InputPlan plan;
  OutputFormat format{};
  bool follows = false;  // something is sent while it runs
  std::string run;
};

// Input that is small and soon at its end goes with the request: then the command has it whole,
// whatever becomes of us. Where the answer is one document nothing can go later.
Status add_input(const Parsed& parsed, OutputFormat format, const Clock& clock,
                 contracts::RunCommandRequest& request, InputPlan& plan) {
  plan.terminal = parsed.has("tty");
  plan.input = parsed.has("stdin");
  if (plan.terminal) {
    plan.window = window_size(STDIN_FILENO, STDOUT_FILENO);
    request.terminal = contracts::TerminalSize{plan.window.rows, plan.window.columns};
    request.input_comes = plan.input;
    return {};
  }
  if (!plan.input) return {};
  ASSIGN_OR_RETURN(Gathered input,
                   gather_input(STDIN_FILENO, contracts::run_exec::kMostInputBytes,
                                is_document(format) ? Until::kEnd : Until::kSoon, clock));
  if (!input.whole && is_document(format)) return input_too_large();
  request.input_comes = !input.whole;
  plan.input = !input.whole;
  (input.whole ? request.input : plan.first) =
      input.whole ? base64(input.bytes) : std::move(input.bytes);
  // Nobody knows when its writer is done, and its time runs from the beginning.
  if (request.input_comes && !request.timeout_ms)
    request.timeout_ms = contracts::run_exec::kMostTimeMs;
  return {};
}

Result<ExecWish> exec_wish(const Parsed& parsed, Env& env) {
  TRY(check_terminal(parsed, env));
  ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kRun, parsed.text("NAME")));
  ExecWish out;
  contracts::RunCommandRequest request;
  request.command = parsed.list("CMD");
  request.command_id = parsed.has("id") ? parsed.text("id") : make_uuid(env.random);
  ASSIGN_OR_RETURN(const auto time, duration_option(parsed, "timeout"));
  if (time) request.timeout_ms = time->count();
  ASSIGN_OR_RETURN(out.format, parse_output_format(parsed.text("output")));
  TRY(add_input(parsed, out.format, env.clock, request, out.plan));
  out.follows = request.terminal || request.input_comes;
  out.call.target = cat(paths::run(parsed.text("namespace", "default"), name), "/commands");
  out.plan.target = cat(out.call.target, "/", request.command_id, "/stdin");
  out.call.body = wire::encode(request);
  out.call.stays = "the run";
  out.run = name;
  out.call.time = Millis(request.time_ms());
  return out;
}

// From its beginning to its end the keys are the command's, Ctrl-C too. How it ended counts; but
// where nothing can be sent to it any more we do not wait for that, as it may wait for us.
Result<int> run_attached(Watcher& watcher, ExecWish& wanted, const Env& env) {
  InputSender sender(http::make_client(watcher.endpoint), wanted.plan, env.patience, env.clock,
                     [&] { watcher.http.abort(); });
  std::unique_ptr<RawTerminal> raw;
  wanted.call.raw = wanted.plan.terminal;
  wanted.call.on_started = [&] {
    if (wanted.plan.terminal && wanted.plan.input) raw = RawTerminal::begin(STDIN_FILENO);
    sender.start();
  };
  wanted.call.on_ended = [&] {
    sender.stop();
    raw.reset();
  };
  const Result<int> code = command_call(watcher, wanted.call, env, wanted.format);
  if (!code.ok() && sender.failure() && code.error().reason == "ABORTED")
    return fail(env, *sender.failure());
  return code;
}

// A line for a shell, given as the name of a program.
void tell_of_a_shell(const Parsed& parsed, int code, const Env& env) {
  const std::vector<std::string> words = parsed.list("CMD");
  if (code != kExitNotFound || words.size() != 1) return;
  if (words[0].find_first_of(" \t|&;<>$`") == std::string::npos) return;
  env.say(cat(paint(env.err, Paint::kYellow, "hint:"), " no shell reads it unless one is named: ",
              printable(cat("paddock exec ", shell_word(parsed.text("NAME")), " -- sh -c ",
                            shell_word(words[0])))));
}

// Programs that look for the run's own processes, which are out of a command's sight and reach. One
// that says so itself by its exit code tells a script, too.
void tell_of_own_processes(const Parsed& parsed, int code, const Env& env) {
  constexpr std::array<std::string_view, 12> kPrograms = {"gdb",    "htop",   "kill",   "killall",
                                                          "pgrep",  "pidof",  "pkill",  "ps",
                                                          "pstree", "py-spy", "strace", "top"};
  const std::string program = os::base_name(parsed.list("CMD").front());
  if (std::ranges::find(kPrograms, program) == kPrograms.end() || (code == 0 && !env.err.tty))
    return;
  const std::string run = shell_word(parsed.text("NAME"));
  env.say(cat(paint(env.err, Paint::kYellow, "hint:"),
              " a command in a run sees and signals what it started itself, and none of the run's "
              "own processes: `paddock cancel ",
              run, "` sends those SIGTERM, `paddock top runs` has what they use"));
}

}  // namespace

int exec_command(const Parsed& parsed, Env& env) {
  auto wanted = exec_wish(parsed, env);
  if (!wanted.ok()) return fail(env, wanted.error());
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    const auto code = wanted->follows ? run_attached(watcher, *wanted, env)
                                      : command_call(watcher, wanted->call, env, wanted->format);
    if (code.ok()) {
      tell_of_a_shell(parsed, *code, env);
      if (!is_document(wanted->format)) tell_of_own_processes(parsed, *code, env);
      return *code;
    }
    const Error why = with_other_kind(watcher.client, parsed, wanted->run, code.error());
    return tell_no_end(wanted->call, why, env);
  });
}

}  // namespace paddock::cli

// `paddock execute`: a file of Python, run at once in a single-use sandbox, of which nothing is
// stored; with --detach a Run, which is.
#include "common/contracts/execute.h"

#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/grammar/other_way.h"
#include "cli/options/code_run.h"
#include "cli/options/names.h"
#include "cli/options/option_files.h"
#include "cli/options/option_values.h"
#include "cli/output/output_format.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/named_file.h"
#include "cli/terminal/safe_output.h"
#include "common/base/random.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using contracts::ExecuteAnswer;
using contracts::ExecuteRequest;

constexpr size_t kMostInputBytes = size_t{7} << 20;

struct Program {
  std::string code;
  std::optional<wire::Value> input;
};

constexpr const char* kStdin = "-";

// `way`: by which the same comes without a file. Whoever typed code or data in its place needs it.
Result<std::string> read_named(const std::string& file, const char* way, const Env& env) {
  Result<std::string> text =
      read_file_or_stdin(file == kStdin ? file : absolute_path(env.cwd, file), kMostInputBytes);
  if (text.ok()) return text;
  Error error = of_named_file(text.error(), file == kStdin ? "stdin" : file);
  if (error.code != Code::kNotFound) return error;
  error.message += cat("; without a file: ", way);
  return error;
}

Result<Program> program_of(const Parsed& parsed, const Env& env) {
  const ReadingFile reading;
  Program out;
  const std::string file = parsed.text("FILE.py");
  const std::string input = parsed.text("input");
  if (file == kStdin && input == kStdin)
    return invalid_argument("STDIN_TWICE", "the code is read from standard input", "--input");
  ASSIGN_OR_RETURN(out.code, read_named(file, "echo 'print(1)' | paddock execute -", env));
  if (!parsed.has("input")) return out;
  ASSIGN_OR_RETURN(const std::string text,
                   read_named(input, "echo '{\"a\": 1}' | paddock execute FILE.py --input -", env));
  ASSIGN_OR_RETURN(out.input, wire::parse_json(text));
  return out;
}

Result<ExecuteRequest> request_of(const Parsed& parsed, Program program) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  ExecuteRequest out;
  out.code = std::move(program.code);
  out.input_data = std::move(program.input).value_or(wire::Value());
  ASSIGN_OR_RETURN(const auto timeout, duration_option(parsed, "timeout"));
  if (timeout && timeout->count() % 1000 != 0)
    return invalid_argument("USAGE", "takes whole seconds", "--timeout");
  if (timeout) out.timeout_seconds = timeout->count() / 1000;
  ASSIGN_OR_RETURN(const auto memory, quantity_option(parsed, "memory"));
  if (memory && *memory % kMiB != 0)
    return invalid_argument("USAGE", "takes whole MiB, e.g. 128Mi", "--memory");
  if (memory) out.memory_mb = *memory / kMiB;
  return out;
}

int exit_code_of_answer(const ExecuteAnswer& answer) {
  if (answer.success) return kExitOk;
  if (!answer.validation_errors.is_null()) return kExitDenied;
  if (answer.error == wire::Value(contracts::kTimedOut)) return kExitTimeout;
  const int64_t code = answer.exit_code;
  return code <= 0 || code > 255 ? kExitFailure : static_cast<int>(code);
}

// Durable and queued, as any run: followed with `paddock logs` and `paddock wait`.
Result<int> create_code_run(Watcher& watcher, const Parsed& parsed, Program program,
                            OutputFormat format, const Env& env) {
  const std::string file = parsed.text("FILE.py");
  const std::string made_up =
      cat(file == kStdin ? "code" : slug(os::base_name(file)), "-", make_suffix(env.random));
  ASSIGN_OR_RETURN(const contracts::Run wanted,
                   code_run(parsed, std::move(program.code), std::move(program.input), made_up));
  const auto created = watcher.client.create_run(wanted, make_uuid(env.random));
  if (!created.ok()) return fail(env, created.error(), true);
  env.out.write(is_document(format) ? document_text(wire::encode(*created), format)
                                    : cat(created->metadata.name, "\n"));
  return kExitOk;
}

Status check_attached(const Parsed& parsed) {
  for (const char* option : {"name", "namespace", "label"}) {
    if (!parsed.has(option)) continue;
    return invalid_argument("USAGE", "goes with --detach, which creates a run", cat("--", option));
  }
  return {};
}

// Short code is checked before it is tried; a run is not, and the sandbox is the same.
void tell_unchecked_way(const std::string& file, const Env& env) {
  const std::string folder = os::folder_of(file);
  env.say(cat(paint(env.err, Paint::kYellow, "hint:"),
              " `paddock run` takes any program: paddock run ",
              file == kStdin ? ". -- python3 FILE.py"
                             : cat(printable(shell_word(folder)), " -- python3 ",
                                   printable(shell_word(os::base_name(file))))));
}

Result<int> execute(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
  ASSIGN_OR_RETURN(Program program, program_of(parsed, env));
  if (parsed.has("detach"))
    return create_code_run(watcher, parsed, std::move(program), format, env);
  TRY(check_attached(parsed));
  ASSIGN_OR_RETURN(const ExecuteRequest request, request_of(parsed, std::move(program)));
  const Result<ExecuteAnswer> executed = watcher.client.execute(request);
  if (!executed.ok()) return fail(env, executed.error(), true);
  const ExecuteAnswer& answer = *executed;
  if (is_document(format)) {
    env.out.write(document_text(wire::encode(answer), format));
    return exit_code_of_answer(answer);
  }
  env.out.write(answer.out);
  env.err.write(answer.err);
  if (const std::string* error = answer.error.string()) env.say(printable(*error));
  if (!answer.validation_errors.is_null()) tell_unchecked_way(parsed.text("FILE.py"), env);
  return exit_code_of_answer(answer);
}

}  // namespace

int execute_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return execute(watcher, parsed, env); });
}

}  // namespace paddock::cli

// `paddock execute`: a file of Python, run at once in a single-use sandbox. Nothing of it is
// stored.
#include "common/contracts/execute.h"

#include "cli/commands/commands.h"
#include "cli/core/error_text.h"
#include "cli/core/exit_codes.h"
#include "cli/core/names.h"
#include "cli/core/option_values.h"
#include "cli/core/output_format.h"
#include "cli/core/safe_output.h"
#include "cli/core/watching.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using contracts::ExecuteAnswer;
using contracts::ExecuteRequest;

constexpr size_t kMostInputBytes = size_t{7} << 20;

Result<ExecuteRequest> request_of(const Parsed& parsed, const Env& env) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  ExecuteRequest out;
  const std::string file = parsed.text("FILE.py");
  ASSIGN_OR_RETURN(out.code, os::read_file(absolute_path(env.cwd, file), kMostInputBytes));
  if (parsed.has("input")) {
    const std::string input = parsed.text("input");
    ASSIGN_OR_RETURN(const std::string text,
                     os::read_file(absolute_path(env.cwd, input), kMostInputBytes));
    ASSIGN_OR_RETURN(out.input_data, wire::parse_json(text));
  }
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

int exit_code_of(const ExecuteAnswer& answer) {
  if (answer.success) return kExitOk;
  if (!answer.validation_errors.is_null()) return kExitDenied;
  if (answer.error == wire::Value(contracts::kTimedOut)) return kExitTimeout;
  const int64_t code = answer.exit_code;
  return code <= 0 || code > 255 ? kExitFailure : static_cast<int>(code);
}

Result<int> execute(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
  ASSIGN_OR_RETURN(const ExecuteRequest request, request_of(parsed, env));
  const Result<ExecuteAnswer> executed = watcher.client.execute(request);
  if (!executed.ok()) return fail(env, executed.error(), true);
  const ExecuteAnswer& answer = *executed;
  if (is_document(format)) {
    env.out.write(document_text(wire::encode(answer), format));
    return exit_code_of(answer);
  }
  env.out.write(answer.out);
  env.err.write(answer.err);
  if (const std::string* error = answer.error.string()) env.say(printable(*error));
  return exit_code_of(answer);
}

}  // namespace

int execute_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return execute(watcher, parsed, env); });
}

}  // namespace paddock::cli

// `paddock pytest`: a project's tests in a sandbox right here, with the limits of profile `test`.
#include "cli/commands/commands.h"
#include "cli/options/pytest_options.h"
#include "cli/terminal/error_text.h"

namespace paddock::cli {

int pytest_command(const Parsed& parsed, Env& env) {
  const Result<Parsed> run = pytest_as_sandbox_run(parsed, env);
  return run.ok() ? sandbox_run_command(*run, env) : fail(env, run.error(), true);
}

}  // namespace paddock::cli

// Commands that need no more than a few lines: version, completion.
#include "cli/commands/commands.h"
#include "cli/grammar/completion.h"
#include "cli/output/output_format.h"
#include "cli/terminal/error_text.h"
#include "common/contracts/meta.h"
#include "common/contracts/version.h"

namespace paddock::cli {

int version_command(const Parsed& parsed, Env& env) {
  const Result<OutputFormat> format = parse_output_format(parsed.text("output"));
  if (!format.ok()) return fail(env, format.error());
  if (is_document(*format)) {
    env.out.write(document_text(wire::Value::Object{{"version", contracts::kProgramVersion},
                                                    {"api", contracts::kApiVersion}},
                                *format));
  } else {
    env.out.write(cat("paddock ", contracts::kProgramVersion, "\n"));
  }
  return 0;
}

int completion_command(const Parsed& parsed, Env& env) {
  const Result<std::string> script = completion_script(parsed.text("SHELL"));
  if (!script.ok()) return fail(env, script.error());
  env.out.write(*script);
  return 0;
}

}  // namespace paddock::cli

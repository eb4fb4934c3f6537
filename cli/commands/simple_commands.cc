// Commands that need no more than a few lines: version, completion, kubeconfig.
#include "cli/client/connection.h"
#include "cli/commands/commands.h"
#include "cli/grammar/completion.h"
#include "cli/output/kubeconfig.h"
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

int kubeconfig_command(const Parsed& parsed, Env& env) {
  const ConnectionOptions options = connection_options(parsed);
  const Result<Target> target = choose_target(options, env);
  if (!target.ok()) return fail(env, target.error());
  const Result<http::Endpoint> endpoint = resolve_endpoint(options, env);
  if (!endpoint.ok()) return fail(env, endpoint.error());
  const std::string context = target->remote ? "paddock" : cat("paddock-", target->instance);
  const wire::Value config = kubeconfig(context, *endpoint, parsed.text("namespace", "default"));
  env.out.write(document_text(config, OutputFormat::kYaml));
  return 0;
}

}  // namespace paddock::cli

// `paddock kubeconfig`: what kubectl needs to know, a token among it.
#include "cli/output/kubeconfig.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cli/client/connection.h"
#include "cli/commands/commands.h"
#include "cli/options/names.h"
#include "cli/output/output_format.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/named_file.h"
#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr mode_t kOwnerAlone = 0600;

Result<std::string> config_text(const Parsed& parsed, const Env& env) {
  const ConnectionOptions options = connection_options(parsed);
  ASSIGN_OR_RETURN(const Target target, choose_target(options, env));
  ASSIGN_OR_RETURN(const http::Endpoint endpoint, resolve_endpoint(options, env));
  const std::string context = target.remote ? "paddock" : cat("paddock-", target.instance);
  return document_text(kubeconfig(context, endpoint, parsed.text("namespace", "default")),
                       OutputFormat::kYaml);
}

// A file that the shell made has the mode of every other one.
bool others_may_read_our_output() {
  struct stat info {};
  return ::fstat(STDOUT_FILENO, &info) == 0 && S_ISREG(info.st_mode) &&
         (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

Status write_config(const Parsed& parsed, const std::string& text, const Env& env) {
  const std::string file = parsed.text("output-file");
  if (file.empty()) {
    env.out.write(text);
    if (others_may_read_our_output())
      env.say(
          "others on this host may read the file that this goes to, and it holds a token: `chmod "
          "600` it, or let --output-file write it");
    return {};
  }
  const Status written = os::write_file_atomic(absolute_path(env.cwd, file), text, kOwnerAlone);
  if (!written.ok()) return of_named_file(written.error(), file);
  env.say(cat("wrote ", printable(file)));
  return {};
}

}  // namespace

int kubeconfig_command(const Parsed& parsed, Env& env) {
  const auto text = config_text(parsed, env);
  if (!text.ok()) return fail(env, text.error());
  const Status written = write_config(parsed, *text, env);
  return written.ok() ? 0 : fail(env, written.error());
}

}  // namespace paddock::cli

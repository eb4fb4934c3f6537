// `paddock admin backup`.
#include "cli/commands/commands.h"
#include "cli/core/exit_codes.h"
#include "cli/core/safe_output.h"
#include "cli/core/watching.h"
#include "common/base/units.h"

namespace paddock::cli {

int backup_command(const Parsed& parsed, Env& env) {
  const std::string made_up = cat("backup-", env.clock.wall().ms);
  const std::string name = parsed.text("NAME", made_up);
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(
        const wire::Value made,
        watcher.client.send("POST", "/admin/backups", wire::Value::Object{{"name", name}}));
    const wire::Value* bytes = made.find("bytes");
    const int64_t* size = bytes == nullptr ? nullptr : bytes->integer();
    env.out.write(cat(printable(made.text("name")), "\n"));
    env.say(cat("backups/", name, ".db in the controller's data folder, ",
                format_bytes(size == nullptr ? 0 : *size)));
    return kExitOk;
  });
}

}  // namespace paddock::cli

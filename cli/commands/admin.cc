// `paddock admin backup`.
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/safe_output.h"
#include "common/base/units.h"

namespace paddock::cli {

int backup_command(const Parsed& parsed, Env& env) {
  const std::string made_up = cat("backup-", env.clock.wall().ms);
  const std::string name = parsed.text("NAME", made_up);
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(
        const wire::Value made,
        watcher.client.send("POST", "/admin/backups", wire::Value::Object{{"name", name}}));
    const auto number = [&](const char* field) {
      const wire::Value* found = made.find(field);
      return found == nullptr || found->integer() == nullptr ? int64_t{0} : *found->integer();
    };
    env.out.write(cat(printable(made.text("name")), "\n"));
    env.say(cat("in the controller's data folder: backups/", name, ".db, ",
                format_bytes(number("bytes")), "; backups/", name, ".blobs, ", number("blobs"),
                " files, ", format_bytes(number("blobBytes"))));
    return kExitOk;
  });
}

}  // namespace paddock::cli

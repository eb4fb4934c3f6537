// `paddock label`: labels of one object.
#include "cli/client/object_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/label_changes.h"
#include "cli/output/object_output.h"
#include "cli/terminal/exit_codes.h"

namespace paddock::cli {
namespace {

using wire::Value;

// `label KIND NAME LABEL…` or `label KIND/NAME LABEL…`.
struct Wanted {
  ObjectChoice choice;
  std::vector<std::string> labels;
};
Result<Wanted> wanted(const Parsed& parsed) {
  Wanted out;
  out.labels = parsed.list("LABEL");
  Parsed words = parsed;
  if (parsed.text("KIND").find('/') != std::string::npos) {
    out.labels.insert(out.labels.begin(), parsed.text("NAME"));
    words.values.erase("NAME");
  }
  ASSIGN_OR_RETURN(out.choice, object_choice(words));
  if (out.labels.empty())
    return invalid_argument("USAGE", "say which: KEY=VALUE sets a label, KEY- removes it", "LABEL");
  return out;
}

Result<int> label(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const Wanted wish, wanted(parsed));
  ASSIGN_OR_RETURN(const Value patch, label_patch(wish.labels));
  const std::string target = wish.choice.target();
  ASSIGN_OR_RETURN(const Value before, watcher.client.get(target));
  if (!parsed.has("overwrite")) TRY(keeps_labels(before, patch));
  ASSIGN_OR_RETURN(const Value after,
                   watcher.client.patch(cat(target, "?fieldManager=paddock-label"),
                                        "application/merge-patch+json", patch));
  const bool same =
      after.text("metadata.resourceVersion") == before.text("metadata.resourceVersion");
  env.out.write(cat(object_reference(wish.choice.kind, wish.choice.name),
                    same ? " unchanged\n" : " labeled\n"));
  return kExitOk;
}

}  // namespace

int label_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return label(watcher, parsed, env); });
}

}  // namespace paddock::cli

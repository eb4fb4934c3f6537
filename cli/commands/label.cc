// `paddock label` and `paddock annotate`: labels and annotations of objects.
#include <algorithm>

#include "cli/client/object_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/label_changes.h"
#include "cli/output/object_output.h"
#include "cli/terminal/for_each.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using wire::Value;

struct Command {
  const char* map;  // of the metadata
  const char* one;
  const char* done;
  const char* manager;  // of the fields that it sets
};
constexpr Command kLabel{"labels", "label", "labeled", "paddock-label"};
constexpr Command kAnnotate{"annotations", "annotation", "annotated", "paddock-annotate"};

// The changes stand behind the objects: `run a b stage=done old-`. No name has a `=`, or ends in
// `-`.
struct Wanted {
  std::vector<std::string> changes;
  Parsed objects;
};
Result<Wanted> wanted(const Command& command, const Parsed& parsed) {
  Wanted out{{}, parsed};
  std::vector<std::string> words = parsed.list("NAME");
  const auto first = std::ranges::find_if(words, is_label_change);
  out.changes.assign(first, words.end());
  words.erase(first, words.end());
  if (out.changes.empty())
    return invalid_argument(
        "USAGE", cat("say which: KEY=VALUE sets the ", command.one, ", KEY- removes it"), "NAME");
  out.objects.values.erase("NAME");
  if (!words.empty()) out.objects.values["NAME"] = std::move(words);
  return out;
}

// The objects that are named, or all that the selector or --all means.
Result<std::vector<ObjectChoice>> objects_meant(client::ControllerClient& client,
                                                const Parsed& objects) {
  ASSIGN_OR_RETURN(std::vector<ObjectChoice> choices, object_choices(objects));
  const ObjectChoice all = choices.front();
  if (!all.name.empty() && objects.has("all"))
    return invalid_argument("USAGE", "--all means every name; leave one of the two out", "--all");
  if (!all.name.empty()) return choices;
  if (all.selector.empty() && !objects.has("all"))
    return invalid_argument("USAGE", "say which: a NAME, --selector for several, or --all", "NAME");
  ASSIGN_OR_RETURN(const auto names, listed_names(client, all));
  choices.clear();
  for (const std::string& name : names) choices.push_back(all.one(name));
  return choices;
}

Status change_one(client::ControllerClient& client, const Command& command,
                  const ObjectChoice& choice, const Value& patch, bool overwrite, const Env& env) {
  const std::string target = choice.target();
  ASSIGN_OR_RETURN(const Value before, client.get(target));
  const std::string shown = object_reference(choice.kind, choice.name);
  if (Status kept = overwrite ? Status() : keeps_labels(before, patch); !kept.ok()) {
    Error error = std::move(kept).error();
    error.message = cat(shown, ": ", error.message);
    return error;
  }
  ASSIGN_OR_RETURN(const Value after, client.patch(cat(target, "?fieldManager=", command.manager),
                                                   "application/merge-patch+json", patch));
  const bool same =
      after.text("metadata.resourceVersion") == before.text("metadata.resourceVersion");
  env.out.write(cat(shown, " ", same ? "unchanged" : command.done, "\n"));
  return {};
}

Result<int> change(Watcher& watcher, const Command& command, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const Wanted wish, wanted(command, parsed));
  ASSIGN_OR_RETURN(const Value patch, label_patch(wish.changes, command.map));
  ASSIGN_OR_RETURN(const auto choices, objects_meant(watcher.client, wish.objects));
  if (choices.empty()) env.say(cat("nothing matches; nothing was ", command.done));
  return for_each(choices, env, [&](const ObjectChoice& each) {
    return change_one(watcher.client, command, each, patch, parsed.has("overwrite"), env);
  });
}

}  // namespace

int label_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return change(watcher, kLabel, parsed, env); });
}

int annotate_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env,
               [&](Watcher& watcher) { return change(watcher, kAnnotate, parsed, env); });
}

}  // namespace paddock::cli

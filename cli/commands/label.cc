// `paddock label`: labels of objects.
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

// The labels stand behind the objects: `run a b stage=done old-`. No name has a `=`, or ends in
// `-`.
struct Wanted {
  std::vector<std::string> labels;
  Parsed objects;
};
Result<Wanted> wanted(const Parsed& parsed) {
  Wanted out{{}, parsed};
  std::vector<std::string> words = parsed.list("NAME");
  const auto first = std::ranges::find_if(words, is_label_change);
  out.labels.assign(first, words.end());
  words.erase(first, words.end());
  if (out.labels.empty())
    return invalid_argument("USAGE", "say which: KEY=VALUE sets a label, KEY- removes it", "LABEL");
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

Status label_one(client::ControllerClient& client, const ObjectChoice& choice, const Value& patch,
                 bool overwrite, const Env& env) {
  const std::string target = choice.target();
  ASSIGN_OR_RETURN(const Value before, client.get(target));
  const std::string shown = object_reference(choice.kind, choice.name);
  if (Status kept = overwrite ? Status() : keeps_labels(before, patch); !kept.ok()) {
    Error error = std::move(kept).error();
    error.message = cat(shown, ": ", error.message);
    return error;
  }
  ASSIGN_OR_RETURN(const Value after, client.patch(cat(target, "?fieldManager=paddock-label"),
                                                   "application/merge-patch+json", patch));
  const bool same =
      after.text("metadata.resourceVersion") == before.text("metadata.resourceVersion");
  env.out.write(cat(shown, same ? " unchanged\n" : " labeled\n"));
  return {};
}

Result<int> label(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const Wanted wish, wanted(parsed));
  ASSIGN_OR_RETURN(const Value patch, label_patch(wish.labels));
  ASSIGN_OR_RETURN(const auto choices, objects_meant(watcher.client, wish.objects));
  if (choices.empty()) env.say("nothing matches; nothing was labeled");
  return for_each(choices, env, [&](const ObjectChoice& each) {
    return label_one(watcher.client, each, patch, parsed.has("overwrite"), env);
  });
}

}  // namespace

int label_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return label(watcher, parsed, env); });
}

}  // namespace paddock::cli

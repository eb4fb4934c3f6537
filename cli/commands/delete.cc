// `paddock delete`: by name, by selector, all of a kind, or what files name.
#include <algorithm>

#include "cli/client/manifests.h"
#include "cli/client/name_choice.h"
#include "cli/client/object_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/output/object_output.h"
#include "cli/terminal/for_each.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using wire::Value;

constexpr const char* kForcedNote =
    "the record of a run that has not ended goes at once; its node ends it soon";

struct Doomed {
  ObjectChoice choice;
  std::string shown;
};

Doomed doomed(ObjectChoice choice) {
  std::string shown = object_reference(choice.kind, choice.name);
  return {std::move(choice), std::move(shown)};
}

Result<std::vector<Doomed>> named_in_files(const Parsed& parsed, const Env& env) {
  if (parsed.has("KIND") || parsed.has("selector") || parsed.has("all"))
    return invalid_argument("USAGE", "the file names what is deleted; leave the rest out",
                            "--filename");
  ASSIGN_OR_RETURN(const auto texts, read_manifests(parsed.list("filename"), env));
  ASSIGN_OR_RETURN(const auto manifests,
                   parse_manifests(texts, parsed.text("namespace"), ManifestUse::kDelete));
  std::vector<Doomed> out;
  for (const Manifest& each : manifests) {
    ObjectChoice choice;
    choice.kind = each.kind;
    choice.name = each.name;
    choice.name_space = each.name_space;
    out.push_back(doomed(std::move(choice)));
  }
  return out;
}

// `run/a node/b`, as `get -o name` prints them: each word says its kind.
Result<std::vector<Doomed>> referred_to(const Parsed& parsed) {
  if (parsed.has("all"))
    return invalid_argument("USAGE", "--all means every name; leave one of the two out", "--all");
  ASSIGN_OR_RETURN(std::vector<ObjectChoice> choices, object_choices(parsed));
  std::vector<Doomed> out;
  for (ObjectChoice& choice : choices) out.push_back(doomed(std::move(choice)));
  return out;
}

Result<std::vector<Doomed>> chosen(client::ControllerClient& client, const Parsed& parsed) {
  if (!parsed.has("KIND"))
    return invalid_argument("USAGE", "say what: KIND and NAME, KIND and --selector, or --filename");
  if (parsed.text("KIND").find('/') != std::string::npos && parsed.has("NAME"))
    return referred_to(parsed);
  ASSIGN_OR_RETURN(const ObjectChoice choice, object_choice(parsed));
  ASSIGN_OR_RETURN(std::vector<std::string> names, names_of(choice.kind, parsed.list("NAME")));
  if (names.empty() && !choice.name.empty()) names = {choice.name};  // run/hello
  if (!names.empty() && parsed.has("all"))
    return invalid_argument("USAGE", "--all means every name; leave one of the two out", "--all");
  if (names.empty()) {
    if (choice.selector.empty() && !parsed.has("all"))
      return invalid_argument("USAGE", "say which: a NAME, --selector for several, or --all",
                              "NAME");
    ASSIGN_OR_RETURN(names, listed_names(client, choice));
  }
  std::vector<Doomed> out;
  out.reserve(names.size());
  for (const std::string& name : names) out.push_back(doomed(choice.one(name)));
  return out;
}

// As DeleteOptions have it: 0 waits for nobody, 1 leaves the command nothing of its grace.
Value delete_options(const Parsed& parsed) {
  if (!parsed.has("force") && !parsed.has("now")) return {};
  return Value::Object{{"kind", "DeleteOptions"},
                       {"apiVersion", "v1"},
                       {"gracePeriodSeconds", parsed.has("force") ? 0 : 1}};
}

std::string what_holds(const Value& object) {
  std::vector<std::string> names;
  const Value* finalizers = object.at("metadata.finalizers");
  if (finalizers != nullptr && finalizers->array() != nullptr)
    for (const Value& each : *finalizers->array())
      if (each.string() != nullptr) names.push_back(*each.string());
  const std::string node = object.text("status.nodeName");
  const bool ended = !object.text("status.finishedAt").empty();
  if (!node.empty() && !ended) return cat("node ", node, " ends it");
  if (object.at("spec.array") != nullptr && names.empty()) return "its elements go first";
  if (object.at("spec.nodes") != nullptr && names.empty()) return "its members go first";
  return cat("finalizers hold it: ", join(names, ", "));
}

// Until an object that is marked is no more, or another one has its name.
Status await_gone(client::ControllerClient& client, const Doomed& each, const Value& marked,
                  const Env& env) {
  env.say(cat(each.shown, " is being deleted: ", printable(what_holds(marked))));
  const std::string uid = marked.text("metadata.uid");
  std::string version = marked.text("metadata.resourceVersion");
  while (true) {
    const Status followed = client.follow_objects(
        each.choice.watched(), version, env.patience, [&](std::string_view type, const Value& now) {
          return type != "DELETED" || now.text("metadata.uid") != uid;
        });
    if (followed.ok() || followed.error().code != Code::kGone) return followed;
    const Result<Value> now = client.get(each.choice.target());
    if (!now.ok()) return now.error().code == Code::kNotFound ? Status() : now.error();
    if (now->text("metadata.uid") != uid) return {};
    version = now->text("metadata.resourceVersion");
  }
}

Status delete_one(client::ControllerClient& client, const Parsed& parsed, const Doomed& each,
                  const Env& env) {
  const Result<Value> answer = client.send("DELETE", each.choice.target(), delete_options(parsed));
  if (!answer.ok()) {
    const bool gone = answer.error().code == Code::kNotFound;
    return gone && parsed.has("ignore-not-found") ? Status() : answer.error();
  }
  if (answer->text("kind") != "Status" && !parsed.has("no-wait"))
    TRY(await_gone(client, each, *answer, env));
  env.out.write(cat(each.shown, " deleted\n"));
  return {};
}

Result<int> delete_objects(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const std::vector<Doomed> all, parsed.has("filename")
                                                      ? named_in_files(parsed, env)
                                                      : chosen(watcher.client, parsed));
  if (all.empty()) env.say("nothing matches; nothing was deleted");
  const bool runs =
      std::ranges::any_of(all, [](const Doomed& each) { return each.choice.kind == Kind::kRun; });
  if (parsed.has("force") && runs)
    env.say(cat(paint(env.err, Paint::kYellow, "warning:"), " ", kForcedNote));
  return for_each(
      all, env, [&](const Doomed& each) { return delete_one(watcher.client, parsed, each, env); });
}

}  // namespace

int delete_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return delete_objects(watcher, parsed, env); });
}

}  // namespace paddock::cli

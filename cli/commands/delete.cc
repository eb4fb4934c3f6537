// `paddock delete`: by name, by selector, or what files name.
#include "cli/commands/commands.h"
#include "cli/core/for_each.h"
#include "cli/core/manifests.h"
#include "cli/core/object_choice.h"
#include "cli/core/object_output.h"
#include "cli/core/watching.h"

namespace paddock::cli {
namespace {

using wire::Value;

struct Doomed {
  std::string target;
  std::string shown;
};

Result<std::vector<Doomed>> named_in_files(const Parsed& parsed, const Env& env) {
  if (parsed.has("KIND") || parsed.has("selector"))
    return invalid_argument("USAGE", "the file names what is deleted; leave the rest out",
                            "--filename");
  ASSIGN_OR_RETURN(const auto texts, read_manifests(parsed.list("filename"), env));
  ASSIGN_OR_RETURN(const auto manifests, parse_manifests(texts, parsed.text("namespace")));
  std::vector<Doomed> out;
  for (const Manifest& each : manifests) {
    if (each.name.empty())
      return invalid_argument("NAME_MISSING", cat(each.source, ": it has no name to delete it by"),
                              "metadata.name");
    out.push_back({each.target(), object_reference(each.kind, each.name)});
  }
  return out;
}

Result<std::vector<Doomed>> chosen(client::ControllerClient& client, const Parsed& parsed) {
  if (!parsed.has("KIND"))
    return invalid_argument("USAGE", "say what: KIND and NAME, KIND and --selector, or --filename");
  ASSIGN_OR_RETURN(const ObjectChoice choice, object_choice(parsed));
  std::vector<std::string> names = parsed.list("NAME");
  if (names.empty() && !choice.name.empty()) names = {choice.name};  // run/hello
  if (names.empty()) {
    if (choice.selector.empty())
      return invalid_argument("USAGE", "say which: a NAME, or --selector for several", "NAME");
    ASSIGN_OR_RETURN(const Value answer, client.get(choice.target()));
    for (const Value& each : items_of(choice, answer)) names.push_back(each.text("metadata.name"));
  }
  std::vector<Doomed> out;
  out.reserve(names.size());
  for (const std::string& name : names)
    out.push_back({choice.one(name).target(), object_reference(choice.kind, name)});
  return out;
}

Result<int> delete_objects(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const std::vector<Doomed> all, parsed.has("filename")
                                                      ? named_in_files(parsed, env)
                                                      : chosen(watcher.client, parsed));
  if (all.empty()) env.say("nothing matches; nothing was deleted");
  return for_each(all, env, [&](const Doomed& each) -> Status {
    const Result<Value> answer = watcher.client.send("DELETE", each.target, Value());
    if (answer.ok()) env.out.write(cat(each.shown, " deleted\n"));
    const bool gone = !answer.ok() && answer.error().code == Code::kNotFound;
    if (answer.ok() || (gone && parsed.has("ignore-not-found"))) return {};
    return answer.error();
  });
}

}  // namespace

int delete_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return delete_objects(watcher, parsed, env); });
}

}  // namespace paddock::cli

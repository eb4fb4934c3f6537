#include "common/mcp/run_spec.h"

#include "common/base/text.h"
#include "common/contracts/run.h"
#include "common/mcp/faults.h"
#include "common/mcp/shell_words.h"
#include "common/wire/json.h"

namespace paddock::mcp {
namespace {

using wire::Value;

void set_unless_empty(Value& in, const char* name, Value value) {
  if (!value.object()->empty()) in.set(name, std::move(value));
}

void copy(const Arguments& from, std::initializer_list<const char*> names, Value& to) {
  for (const char* name : names)
    if (const Value* value = from.find(name)) to.set(name, *value);
}

Value resources_of(const Arguments& given) {
  Value out = Value::Object{};
  copy(given, {"cpu", "memory"}, out);
  if (const Value* kind = given.find("accelerator"))
    out.set("accelerators",
            Value::Object{{"kind", *kind}, {"count", given.integer("acceleratorCount", 1)}});
  return out;
}

// Of "NAME=value" each, as check_format() has it.
Value variables_of(const Arguments& given) {
  Value out = Value::Object{};
  const Value* listed = given.find("env");
  if (listed == nullptr) return out;
  for (const Value& each : *listed->array()) {
    const std::string& word = *each.string();
    const size_t equals = word.find('=');
    out.set(word.substr(0, equals), word.substr(equals + 1));
  }
  return out;
}

Value policy_of(const Arguments& given) {
  Value limits = Value::Object{};
  copy(given, {"memory", "pids"}, limits);
  if (const Value* disk = given.find("disk"))
    for (const char* name : {"fsBytes", "fileSize"}) limits.set(name, *disk);
  Value out = Value::Object{};
  set_unless_empty(out, "env", variables_of(given));
  set_unless_empty(out, "limits", std::move(limits));
  if (const Value* domains = given.find("allowDomains"))
    out.set("network", Value::Object{{"enabled", true}, {"allowDomains", *domains}});
  return out;
}

// Refuses a shell's words in a command of type `command`; for the other types the server does. A
// program that accepts any argument would take them, do something else, and succeed.
Status check_line(const Arguments& given) {
  const std::string line = given.text("command");
  const auto word = given.text("type") == "command" ? shell_word(line) : std::nullopt;
  if (!word) return {};
  return bad_argument(
      cat("command is split without a shell, and ", quoted(*word),
          " is a shell's; give command \"sh\" with args [\"-c\", ", wire::to_json(line), "]"),
      "command");
}

// Arguments that do not go together.
Status check_together(const Arguments& given) {
  Faults faults;
  if (given.find("args") == nullptr) faults.add(check_line(given));
  if (given.find("acceleratorCount") != nullptr && given.find("accelerator") == nullptr)
    faults.add("acceleratorCount is of accelerator, which is not given", "acceleratorCount");
  if (!given.text("folder").empty() && !given.text("workspace").empty())
    faults.add("a run reads a folder or a workspace, not both", "folder");
  return faults.status();
}

// A line that the server splits, or with `args` the words as they are.
Value command_of(const Arguments& given) {
  const Value* args = given.find("args");
  if (args == nullptr) return *given.find("command");
  Value::Array words = *args->array();
  words.insert(words.begin(), *given.find("command"));
  return words;
}

Status set_files(const Place& place, const Arguments& given, bool upload, WantedRun& run) {
  ASSIGN_OR_RETURN(std::string workspace, given.name("workspace", true));
  const std::string folder = given.text("folder");
  if (!folder.empty() && upload) {
    const Value document = run_document(Value::Object{{"generateName", "run-"}}, run.spec);
    ASSIGN_OR_RETURN(Api::Uploaded uploaded, place.api.upload(place.name_space, folder, document));
    workspace = uploaded.workspace;
    run.spec.set("workspaceRoot", uploaded.root);
    run.left_out = std::move(uploaded.left_out);
  } else if (!folder.empty()) {
    ASSIGN_OR_RETURN(run.left_out, place.api.left_out_of(folder));
  }
  if (!workspace.empty()) run.spec.set("workspace", workspace);
  return {};
}

}  // namespace

Value run_document(Value metadata, Value spec) {
  return Value::Object{{"apiVersion", contracts::kApiVersion},
                       {"kind", contracts::Run::kKind},
                       {"metadata", std::move(metadata)},
                       {"spec", std::move(spec)}};
}

Result<WantedRun> wanted_run(const Place& place, const Arguments& given, bool upload) {
  TRY(check_together(given));
  WantedRun run;
  Value& spec = run.spec;
  spec = Value::Object{{"type", "compute"}, {"command", command_of(given)}};
  copy(given, {"type", "requirements", "timeout"}, spec);
  if (const Value* dirs = given.find("artifactDirs"))
    spec.set("artifacts", Value::Object{{"dirs", *dirs}});
  set_unless_empty(spec, "resources", resources_of(given));
  set_unless_empty(spec, "sandbox", policy_of(given));
  TRY(set_files(place, given, upload, run));
  return run;
}

}  // namespace paddock::mcp

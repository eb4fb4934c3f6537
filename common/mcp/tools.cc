#include "common/mcp/tools.h"

#include <algorithm>
#include <map>

#include "common/base/head_and_tail.h"
#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/run.h"
#include "common/mcp/schemas.h"

namespace paddock::mcp {
namespace {

using contracts::Run;
using wire::Value;
namespace paths = contracts::paths;

constexpr int64_t kUsualSnippetSeconds = 10;

constexpr const char* kInstructions =
    "Runs commands in sandboxes on hosts that have the hardware (GPUs, Apple Silicon) this one "
    "lacks. "
    "run_start returns at once with a run's name; run_wait looks for its end for at most 45 s and "
    "can be "
    "called again; a lost connection never ends a run. Results say what was enforced and denied. "
    "execute runs a few lines of Python at once.";

Error usage(std::string message, std::string field) {
  return invalid_argument("ARGUMENT_INVALID", std::move(message), std::move(field));
}

// The arguments of one call, by name; the schema says the same to the client.
class Arguments {
 public:
  explicit Arguments(const Value& values) : values_(values) {}

  Status check(const Tool& tool) const {
    const Value* known = tool.input.find("properties");
    for (const auto& [name, value] : *values_.object())
      if (known->find(name) == nullptr) return usage(cat("there is no argument ", name), name);
    if (const Value* required = tool.input.find("required")) {
      for (const Value& name : *required->array())
        if (values_.find(*name.string()) == nullptr)
          return usage(cat("the argument ", *name.string(), " is missing"), *name.string());
    }
    return {};
  }
  Result<std::string> text(const char* name) const {
    const Value* value = values_.find(name);
    if (value == nullptr) return std::string();
    if (value->string() == nullptr) return usage(cat(name, " is a string"), name);
    return *value->string();
  }
  Result<int64_t> integer(const char* name, int64_t fallback, int64_t min, int64_t max) const {
    const Value* value = values_.find(name);
    if (value == nullptr) return fallback;
    if (value->integer() == nullptr || *value->integer() < min || *value->integer() > max)
      return usage(cat(name, " is a whole number from ", min, " to ", max), name);
    return *value->integer();
  }
  const Value* find(const char* name) const { return values_.find(name); }

 private:
  const Value& values_;
};

class Tools {
 public:
  Tools(Api& api, std::string name_space) : api_(api), name_space_(std::move(name_space)) {}

  Result<Value> start(const Arguments& given) const {
    ASSIGN_OR_RETURN(const Value spec, spec_of(given));
    ASSIGN_OR_RETURN(const std::string name, given.text("name"));
    ASSIGN_OR_RETURN(const std::string key, given.text("idempotencyKey"));
    Value metadata = Value::Object{};
    metadata.set(name.empty() ? "generateName" : "name", name.empty() ? "run-" : name);
    const Value body = Value::Object{{"apiVersion", contracts::kApiVersion},
                                     {"kind", Run::kKind},
                                     {"metadata", std::move(metadata)},
                                     {"spec", spec}};
    ASSIGN_OR_RETURN(const Value made,
                     api_.send("POST", paths::collection(name_space_, "runs"), body, key));
    return brief(made);
  }

  Result<Value> wait(const Arguments& given) const {
    ASSIGN_OR_RETURN(const std::string target, run_of(given));
    ASSIGN_OR_RETURN(const int64_t seconds,
                     given.integer("timeoutSeconds", 20, 0, kMostWaitSeconds));
    constexpr Millis kStep{250};
    int64_t steps = seconds * 1000 / kStep.count();
    while (true) {
      ASSIGN_OR_RETURN(const Value run, api_.send("GET", target, {}, ""));
      const auto phase = wire::parse_enum<contracts::RunPhase>(run.text("status.phase"));
      const bool done = phase && contracts::is_terminal(*phase);
      if (done || steps-- <= 0 || !api_.pause(kStep)) return report(run, done);
    }
  }

  Result<Value> logs(const Arguments& given) const {
    ASSIGN_OR_RETURN(const std::string target, run_of(given));
    ASSIGN_OR_RETURN(const int64_t lines, given.integer("tailLines", 200, 1, 5000));
    ASSIGN_OR_RETURN(const Api::Text text,
                     api_.read(cat(target, "/log?tailLines=", lines), kMostText));
    return Value(Value::Object{{"text", to_utf8_lossy(text.bytes)}, {"truncated", text.truncated}});
  }

  Result<Value> cancel(const Arguments& given) const {
    ASSIGN_OR_RETURN(const std::string target, run_of(given));
    ASSIGN_OR_RETURN(const Value run, api_.send("POST", target + "/cancel", Value::Object{}, ""));
    return brief(run);
  }

  Result<Value> artifacts(const Arguments& given) const {
    ASSIGN_OR_RETURN(const std::string target, run_of(given));
    ASSIGN_OR_RETURN(const std::string path, given.text("path"));
    if (path.empty()) {
      ASSIGN_OR_RETURN(const Value list, api_.send("GET", target + "/artifacts", {}, ""));
      return Value(
          Value::Object{{"files", *list.find("items")}, {"leftOut", *list.find("leftOut")}});
    }
    ASSIGN_OR_RETURN(const Api::Text text,
                     api_.read(cat(target, "/artifacts/", percent_encode_path(path)), kMostText));
    const bool plain = is_utf8(text.bytes) || text.truncated;
    return Value(Value::Object{{"path", path},
                               {"text", plain ? to_utf8_lossy(text.bytes) : std::string()},
                               {"base64", plain ? std::string() : base64(text.bytes)},
                               {"truncated", text.truncated}});
  }

  Result<Value> list(const Arguments& given) const {
    ASSIGN_OR_RETURN(const std::string phase, given.text("phase"));
    ASSIGN_OR_RETURN(const int64_t limit, given.integer("limit", 20, 1, kMostListed));
    std::string target = cat(paths::collection(name_space_, "runs"), "?limit=", limit);
    if (!phase.empty()) target += cat("&fieldSelector=status.phase%3D", percent_encode(phase));
    ASSIGN_OR_RETURN(const Value answer, api_.send("GET", target, {}, ""));
    Value::Array runs;
    for (const Value& run : *answer.find("items")->array()) runs.push_back(brief(run));
    return Value(Value::Object{{"runs", std::move(runs)},
                               {"more", !answer.text("metadata.continue").empty()}});
  }

  Result<Value> plan(const Arguments& given) const {
    ASSIGN_OR_RETURN(const Value spec, spec_of(given, false));
    const Value body = Value::Object{{"apiVersion", contracts::kApiVersion},
                                     {"kind", Run::kKind},
                                     {"metadata", Value::Object{{"name", "plan"}}},
                                     {"spec", spec}};
    ASSIGN_OR_RETURN(Value answer,
                     api_.send("POST", paths::collection(name_space_, "plan"), body, ""));
    answer.erase("policy");
    return answer;
  }

  Result<Value> execute(const Arguments& given) const {
    ASSIGN_OR_RETURN(const std::string code, given.text("code"));
    ASSIGN_OR_RETURN(const int64_t seconds,
                     given.integer("timeoutSeconds", kUsualSnippetSeconds, 1, kMostSnippetSeconds));
    Value body = Value::Object{{"code", code}, {"timeout_seconds", seconds}};
    if (const Value* input = given.find("inputData")) body.set("input_data", *input);
    ASSIGN_OR_RETURN(const Value answer, api_.send("POST", "/execute", body, ""));
    return snippet_report(answer);
  }

  Result<Value> nodes(const Arguments&) const {
    ASSIGN_OR_RETURN(
        const Value answer,
        api_.send("GET", cat(paths::collection("", "nodes"), "?limit=", kMostListed), {}, ""));
    Value::Array out;
    for (const Value& node : *answer.find("items")->array()) out.push_back(brief_node(node));
    return Value(Value::Object{{"nodes", std::move(out)},
                               {"more", !answer.text("metadata.continue").empty()}});
  }

 private:
  Result<std::string> run_of(const Arguments& given) const {
    ASSIGN_OR_RETURN(const std::string name, given.text("run"));
    if (name.empty()) return usage("run is the name of a run", "run");
    return paths::object(name_space_, "runs", percent_encode(name));
  }

  // A spec of the public API; what is wrong with it, the API says.
  Result<Value> spec_of(const Arguments& given, bool upload = true) const {
    Value spec = Value::Object{{"type", "compute"}, {"command", *given.find("command")}};
    if (const Value* type = given.find("type")) spec.set("type", *type);
    ASSIGN_OR_RETURN(std::string workspace, given.text("workspace"));
    ASSIGN_OR_RETURN(const std::string folder, given.text("folder"));
    if (!folder.empty() && !workspace.empty())
      return usage("a run reads a folder or a workspace, not both", "folder");
    if (!folder.empty() && upload) {
      ASSIGN_OR_RETURN(const Api::Uploaded uploaded, api_.upload(name_space_, folder));
      workspace = uploaded.workspace;
      spec.set("workspaceRoot", uploaded.root);
    }
    if (!workspace.empty()) spec.set("workspace", workspace);
    for (const char* name : {"requirements", "timeout"})
      if (const Value* value = given.find(name)) spec.set(name, *value);
    if (const Value* dirs = given.find("artifactDirs"))
      spec.set("artifacts", Value::Object{{"dirs", *dirs}});
    set_unless_empty(spec, "resources", resources_of(given));
    set_unless_empty(spec, "sandbox", policy_of(given));
    return spec;
  }

  static void set_unless_empty(Value& in, const char* name, Value value) {
    if (!value.object()->empty()) in.set(name, std::move(value));
  }

  static Value resources_of(const Arguments& given) {
    Value out = Value::Object{};
    for (const char* name : {"cpu", "memory"})
      if (const Value* value = given.find(name)) out.set(name, *value);
    if (const Value* kind = given.find("accelerator"))
      out.set("accelerators", Value::Object{{"kind", *kind}, {"count", 1}});
    return out;
  }

  static Value policy_of(const Arguments& given) {
    Value limits = Value::Object{};
    for (const char* name : {"memory", "pids"})
      if (const Value* value = given.find(name)) limits.set(name, *value);
    if (const Value* disk = given.find("disk"))
      for (const char* name : {"fsBytes", "fileSize"}) limits.set(name, *disk);
    Value out = Value::Object{};
    if (const Value* env = given.find("env")) out.set("env", *env);
    set_unless_empty(out, "limits", std::move(limits));
    return out;
  }

  static Value brief(const Value& run) {
    return Value(Value::Object{{"run", run.text("metadata.name")},
                               {"phase", run.text("status.phase")},
                               {"reason", run.text("status.reason")},
                               {"message", run.text("status.message")}});
  }

  static Value report(const Value& run, bool done) {
    Value out = brief(run);
    out.set("done", done);
    out.set("node", run.text("status.nodeName"));
    const Value* result = run.at("status.result");
    if (result != nullptr) {
      out.set("rc", *result->find("rc"));
      out.set("status", *result->find("status"));
      out.set("denials", *result->find("denials"));
      Value::Object enforced;
      for (const auto& [name, each] : *result->find("enforced")->object())
        enforced.emplace_back(name, *each.find("level"));
      out.set("enforced", std::move(enforced));
    }
    const Value* artifacts = run.at("status.artifacts");
    Value::Array paths_left;
    if (artifacts != nullptr)
      for (const Value& artifact : *artifacts->array())
        paths_left.emplace_back(artifact.text("path"));
    out.set("artifacts", std::move(paths_left));
    return out;
  }

  static Value snippet_report(const Value& answer) {
    const std::string out = answer.text("stdout");
    const std::string err = answer.text("stderr");
    const bool truncated = out.size() > kMostText || err.size() > kMostText;
    Value report = Value::Object{{"success", *answer.find("success")},
                                 {"stdout", head_and_tail(out, kMostText)},
                                 {"stderr", head_and_tail(err, kMostText)},
                                 {"exitCode", *answer.find("exit_code")},
                                 {"truncated", truncated}};
    if (!answer.text("error").empty()) report.set("error", answer.text("error"));
    if (const Value* findings = answer.find("validation_errors"); findings->array() != nullptr)
      report.set("validationErrors", *findings);
    return report;
  }

  static Value brief_node(const Value& node) {
    Value out = Value::Object{{"node", node.text("metadata.name")},
                              {"os", node.text("status.os")},
                              {"arch", node.text("status.arch")}};
    for (const char* name : {"ready", "capacity", "devices"}) {
      const Value* value = node.at(cat("status.", name));
      if (value != nullptr) out.set(name, *value);
    }
    return out;
  }

  Api& api_;
  std::string name_space_;
};

using Method = Result<Value> (Tools::*)(const Arguments&) const;
struct Row {
  Tool (*describe)(bool folders);
  Method method;
};
// In the order in which an agent needs them.
constexpr Row kRows[] = {
    {start_tool, &Tools::start},     {wait_tool, &Tools::wait},
    {logs_tool, &Tools::logs},       {artifacts_tool, &Tools::artifacts},
    {cancel_tool, &Tools::cancel},   {list_tool, &Tools::list},
    {plan_tool, &Tools::plan},       {nodes_tool, &Tools::nodes},
    {execute_tool, &Tools::execute},
};

}  // namespace

Server make_server(Api& api, const std::string& name_space, const std::string& version) {
  Server server{"paddock", version, kInstructions, {}, {}};
  std::map<std::string, Method> methods;
  for (const Row& row : kRows) {
    server.tools.push_back(row.describe(api.has_folders()));
    methods[server.tools.back().name] = row.method;
  }
  server.call = [tools = Tools(api, name_space), methods, described = server.tools](
                    const std::string& name, const Value& values) -> Result<Value> {
    const Arguments arguments(values);
    TRY(arguments.check(*std::ranges::find(described, name, &Tool::name)));
    return (tools.*methods.at(name))(arguments);
  };
  return server;
}

}  // namespace paddock::mcp

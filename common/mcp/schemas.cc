#include "common/mcp/schemas.h"

namespace paddock::mcp {
namespace {

using wire::Value;
using Properties = Value::Object;

Value text(const char* what) { return Value::Object{{"type", "string"}, {"description", what}}; }
Value flag(const char* what) { return Value::Object{{"type", "boolean"}, {"description", what}}; }
Value list(const char* what) {
  return Value::Object{
      {"type", "array"}, {"items", Value::Object{{"type", "string"}}}, {"description", what}};
}
Value number(const char* what, int64_t min, int64_t max) {
  return Value::Object{
      {"type", "integer"}, {"minimum", min}, {"maximum", max}, {"description", what}};
}
Value anything(const char* type, const char* what) {
  return Value::Object{{"type", type}, {"description", what}};
}

Value object(Properties properties, const std::vector<std::string>& required, bool closed) {
  Value::Array names;
  for (const std::string& name : required) names.emplace_back(name);
  Value out = Value::Object{
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(names)}};
  if (closed) out.set("additionalProperties", false);
  return out;
}
Value takes(Properties properties, const std::vector<std::string>& required = {}) {
  return object(std::move(properties), required, true);
}
Value answers(Properties properties, const std::vector<std::string>& required) {
  return object(std::move(properties), required, false);
}

Value run_name() { return text("name of the run, as run_start answered"); }

Value one_of(Value::Array words, const char* what) {
  return Value::Object{{"type", "string"}, {"enum", std::move(words)}, {"description", what}};
}

Value command() {
  return Value::Object{
      {"type", Value::Array{"string", "array"}},
      {"items", Value::Object{{"type", "string"}}},
      {"description",
       "\"python3 job.py --fast\", split without a shell, or the words as they are: "
       "[\"sh\", \"-c\", \"make && make test\"]"}};
}

Properties job(bool folders) {
  Properties out = {
      {"command", command()},
      {"type", one_of({"compute", "command", "script", "gradle", "test"},
                      "compute unless given: a script by python3, python, node or bash, with plain "
                      "arguments. command: any program with any arguments; files are optional")},
      {"env", Value::Object{{"type", "object"},
                            {"additionalProperties", Value::Object{{"type", "string"}}},
                            {"description", "variables; of every type but compute"}}},
      {"memory", text("of all processes together, e.g. 16Gi; set aside for it too")},
      {"pids", number("processes and threads at once", 1, 4'194'304)},
      {"disk", text("bytes that it may write, e.g. 20Gi")},
      {"cpu", number("cores set aside, and no more than these used", 1, 4096)},
      {"workspace", text("name of a stored workspace whose files the command reads")},
      {"requirements", text("requirements.txt, pyproject.toml or package.json among those files")},
      {"artifactDirs", list("folders whose files come back, e.g. [\"output/\"]")},
      {"timeout", text("wall time, e.g. 10m")},
      {"accelerator", one_of({"nvidia", "apple", "any"}, "one such device")}};
  if (folders)
    out.emplace_back("folder", text("folder on this host; only what is missing is uploaded"));
  return out;
}

Properties brief() {
  return {{"run", text("name of the run")},
          {"phase", text("Pending, Scheduled, Preparing, Running, Succeeded, Failed or Canceled")},
          {"reason", text("a stable word")},
          {"message", text("a sentence; why a pending run waits")}};
}
const std::vector<std::string> kBrief = {"run", "phase"};

}  // namespace

Tool start_tool(bool folders) {
  Properties input = job(folders);
  input.emplace_back("name", text("of the run; made up unless given"));
  input.emplace_back("idempotencyKey", text("the same key starts the same run once"));
  return {"run_start", "Start a run",
          "Starts a command in a sandbox on a node and returns at once with the run's name. It has "
          "no network and sees its own files only.",
          takes(std::move(input), {"command"}), answers(brief(), kBrief)};
}

Tool wait_tool(bool) {
  Properties output = brief();
  output.emplace_back("done", flag("whether it has ended; if not, call again"));
  output.emplace_back("node", text("where it runs"));
  output.emplace_back("rc", anything("integer", "exit code"));
  output.emplace_back("status", text("OK, FAILED, TIMEOUT, MEM_LIMIT, …"));
  output.emplace_back("denials",
                      anything("array", "what the sandbox stopped, and what would allow it"));
  output.emplace_back("enforced", anything("object", "per capability: how strongly"));
  output.emplace_back("artifacts", list("files that came back"));
  return {
      "run_wait",
      "Wait for a run",
      "Waits for a run's end, at most 45 s, and says how it stands. Call it again while done is "
      "false.",
      takes({{"run", run_name()}, {"timeoutSeconds", number("20 unless given", 0, 45)}}, {"run"}),
      answers(std::move(output), {"run", "phase", "done"}),
      true};
}

Tool logs_tool(bool) {
  return {"run_logs",
          "Read a run's output",
          "The last lines of a run's output so far.",
          takes({{"run", run_name()}, {"tailLines", number("200 unless given", 1, 5000)}}, {"run"}),
          answers({{"text", text("the output")}, {"truncated", flag("more was cut off")}},
                  {"text", "truncated"}),
          true};
}

Tool artifacts_tool(bool) {
  return {"run_artifacts",
          "Fetch a run's artifacts",
          "Lists the files a run brought back, or returns one of them (at most 64 KiB).",
          takes({{"run", run_name()}, {"path", text("one file; the list unless given")}}, {"run"}),
          answers({{"files", anything("array", "path, size, digest")},
                   {"leftOut", anything("array", "files that did not come back, and why")},
                   {"path", text("of the one file")},
                   {"text", text("its content")},
                   {"base64", text("its content if that is no text")},
                   {"truncated", flag("more was cut off")}},
                  {}),
          true};
}

Tool cancel_tool(bool) {
  return {"run_cancel",
          "Cancel a run",
          "Ends a run; asking twice is fine.",
          takes({{"run", run_name()}}, {"run"}),
          answers(brief(), kBrief),
          false,
          true};
}

Tool list_tool(bool) {
  return {"run_list",
          "List runs",
          "Runs of this namespace, by name.",
          takes({{"phase", text("only those in this phase")},
                 {"limit", number("20 unless given", 1, 100)}}),
          answers({{"runs", anything("array", "run, phase, reason, message")},
                   {"more", flag("there are more")}},
                  {"runs", "more"}),
          true};
}

Tool plan_tool(bool folders) {
  return {"plan",
          "Plan a run",
          "Says where a command would run and what would be enforced there, or why it would wait, "
          "without starting it.",
          takes(job(folders), {"command"}),
          answers({{"placed", flag("whether it would start at once")},
                   {"node", text("where")},
                   {"message", text("why it would wait")}},
                  {"placed"}),
          true};
}

Tool nodes_tool(bool) {
  return {"nodes",
          "List nodes",
          "The hosts that run commands: system, capacity, devices.",
          takes({}),
          answers({{"nodes", anything("array", "node, os, arch, ready, capacity, devices")},
                   {"more", flag("there are more")}},
                  {"nodes", "more"}),
          true};
}

Tool execute_tool(bool) {
  return {
      "execute", "Run a piece of Python",
      "Runs a short Python program in a fresh sandbox without files or network and answers with "
      "its output. success false is what the program did; validation_errors say what it may "
      "not contain. For anything longer, or with files, use run_start.",
      takes({{"code", text("the program; it finds its input as input_data")},
             {"inputData", anything("object", "handed over as data")},
             {"timeoutSeconds", number("10 unless given", 1, kMostSnippetSeconds)}},
            {"code"}),
      answers({{"success", flag("it ended with exit code 0")},
               {"stdout", text("what it printed")},
               {"stderr", text("what it printed there")},
               {"exitCode", anything("integer", "-1 where no program ended")},
               {"error", text("why it did not succeed")},
               {"validationErrors", list("everything that was refused")},
               {"truncated", flag("output was cut off")}},
              {"success", "stdout", "stderr", "exitCode"})};
}

}  // namespace paddock::mcp

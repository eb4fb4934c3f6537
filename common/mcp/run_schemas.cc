#include "common/mcp/run_schemas.h"

#include "common/contracts/run.h"
#include "common/mcp/schema_words.h"

namespace paddock::mcp {
namespace {

using wire::Value;

constexpr int64_t kMostBytes = int64_t{1} << 40;

Value run_name() { return text("as run_start answered"); }

Properties job(bool folders) {
  Properties out = {
      {"command", text("such as \"python3 job.py --fast\", split without a shell; with args, the "
                       "program alone")},
      {"args", texts("words for it as they are: for command sh, [\"-c\", \"make && make test\"]")},
      {"type", one_of({"compute", "command", "script", "gradle", "test"},
                      "compute unless given: a script by python3, python, node or bash, with plain "
                      "arguments. command: any program with any arguments; files are optional")},
      {"env", texts("NAME=value each; of every type but compute")},
      {"memory", text("of all processes together, such as 16Gi; set aside for it too")},
      {"cpu", number("cores set aside, and no more than these used", 1, 4096)},
      {"pids", number("processes and threads at once", 1, 4'194'304)},
      {"disk", text("bytes that it may write, such as 20Gi")},
      {"allowDomains", texts("names that it may reach, where the operator allows any")},
      {"accelerator", one_of(words_of<contracts::AcceleratorKind>(), "such a device is needed")},
      {"acceleratorCount", number("1 unless given", 1, 64)},
      {"timeout", text("wall time, such as 10m; 30m unless given")},
      {"workspace", text("as workspace_create answered: the files that it reads")},
      {"requirements", text("requirements.txt, pyproject.toml or package.json among those files")},
      {"artifactDirs", texts("folders whose files come back, such as [\"out/\"]")}};
  if (folders)
    out.emplace_back("folder", text("folder on this host instead; what is missing is uploaded"));
  return out;
}

Properties brief() {
  return {{"run", text("its name")},
          {"phase", text("Pending, Scheduled, Preparing, Running, Succeeded, Failed or Canceled")},
          {"reason", text("a stable word")},
          {"message", text("a sentence; why a pending run waits")}};
}

Properties left_out() {
  return {{"leftOut", texts("of folder, not sent, and why; secrets first")},
          {"secretsLeftOut", number("how many of them as secrets")},
          {"moreLeftOut", number("how many are not listed")},
          {"untrusted", untrusted()}};
}

Properties with(Properties all, const Properties& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

Tool run_start_tool(bool folders) {
  return {"run_start", "Start a run",
          "Starts a command in a sandbox on a node and returns at once with the run's name. It "
          "sees its own files only and has no network but allowDomains.",
          object(with(job(folders), {{"name", text("made up unless given")},
                                     {"idempotencyKey", text("the same key starts it once")}}),
                 {"command"}),
          object(folders ? with(brief(), left_out()) : brief(), {"run", "phase"})};
}

Tool run_wait_tool() {
  return {
      "run_wait",
      "Wait for a run",
      "Waits for a run's end, at most 45 s, and says how it stands. Call it again while done "
      "is false.",
      object({{"run", run_name()}, {"timeoutSeconds", number("20 unless given", 0, 45)}}, {"run"}),
      object(with(brief(), {{"done", flag("it has ended")},
                            {"node", text("where it runs")},
                            {"rc", number("exit code")},
                            {"status", text("OK, FAILED, TIMEOUT, MEM_LIMIT, …")},
                            {"denials", denials_schema()},
                            {"enforced", texts("how strongly, by capability: memory: kernel")},
                            {"artifacts", texts("files that came back")},
                            {"moreArtifacts", flag("run_artifacts lists them all")},
                            {"untrusted", untrusted()}}),
             {"run", "phase", "done"}),
      true};
}

Tool run_logs_tool() {
  return {"run_logs",
          "Read a run's output",
          "The last lines of a run's output so far, or its parts from the start: offset 0, then "
          "next.",
          object({{"run", run_name()},
                  {"tailLines", number("200 unless given", 1, 2000)},
                  {"offset", number("instead: from this byte on", 0, kMostBytes)}},
                 {"run"}),
          object({{"text", text("the output")},
                  {"base64", text("output that is no text")},
                  {"truncated", flag("earlier lines were cut off")},
                  {"next", number("offset of what follows, if anything does")},
                  {"untrusted", untrusted()}},
                 {"truncated"}),
          true};
}

Tool run_artifacts_tool() {
  return {"run_artifacts",
          "Fetch a run's artifacts",
          "Lists the files that a run brought back, or reads one of them in parts.",
          object({{"run", run_name()},
                  {"path", text("one file; the list unless given")},
                  {"offset", number("`next` of the part before", 0, kMostBytes)}},
                 {"run"}),
          object({{"files", list_of(object({{"path", text("of it")}, {"size", number("bytes")}}),
                                    "that came back")},
                  {"leftOut", texts("files that did not come back, and why")},
                  {"path", text("of the one file")},
                  {"text", text("a part of it")},
                  {"base64", text("a part of a file that is no text")},
                  {"next", number("offset of what follows, if anything does")},
                  {"untrusted", untrusted()}}),
          true};
}

Tool run_cancel_tool() {
  return {"run_cancel",
          "Cancel a run",
          "Ends a run; asking twice is fine.",
          object({{"run", run_name()}}, {"run"}),
          object(brief(), {"run", "phase"}),
          false,
          true};
}

Tool run_list_tool() {
  return {"run_list",
          "List runs",
          "Runs of this namespace, the newest first.",
          object({{"phase", one_of(words_of<contracts::RunPhase>(), "only those")},
                  {"limit", number("20 unless given", 1, kMostListed)},
                  {"cursor", cursor()}}),
          object({{"runs", list_of(object(with(brief(), {{"createdAt", text("when")}})),
                                   "the newest first")},
                  {"next", text("cursor of the next page, if there is one")}},
                 {"runs"}),
          true};
}

Tool run_plan_tool(bool folders) {
  Properties answer = {{"placed", flag("it would start at once")},
                       {"node", text("where")},
                       {"message", text("why it would wait")},
                       {"unfit", list_of(object({{"nodes", number("how many")},
                                                 {"reason", text("why they do not fit")},
                                                 {"remedy", text("what would help")}}),
                                         "nodes that do not fit")},
                       {"notEnforceable", texts("capabilities that this node has not proven")}};
  return {"plan",
          "Plan a run",
          "Says where a command would run, or why it would wait, without starting it.",
          object(job(folders), {"command"}),
          object(folders ? with(std::move(answer), left_out()) : std::move(answer), {"placed"}),
          true};
}

}  // namespace paddock::mcp

// The tools that show what there is to run on, and run short code that needs no session.
#include <map>

#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/mcp/answer_room.h"
#include "common/mcp/schema_words.h"
#include "common/mcp/tool_rows.h"
#include "common/wire/json.h"

namespace paddock::mcp {
namespace {

using wire::Value;

constexpr int64_t kUsualSnippetSeconds = 10;
constexpr size_t kMostFindings = 10;
constexpr size_t kMostKinds = 3;
constexpr size_t kKindRoom = 150;

// Each kind once, with how many there are: "8 nvidia H200".
Value::Array accelerators_of(const Value* devices) {
  std::map<std::string, int> counts;
  if (devices != nullptr && devices->array() != nullptr)
    for (const Value& each : *devices->array())
      ++counts[cat(each.text("kind"), " ", each.text("model"),
                   each.text("fault").empty() ? "" : ", not usable")];
  Value::Array out;
  for (const auto& [what, count] : counts) {
    if (out.size() == kMostKinds) break;
    out.emplace_back(clipped(cat(count, " ", what), kKindRoom));
  }
  return out;
}

Value node_brief(const Value& node) {
  Value out = Value::Object{{"node", node.text("metadata.name")},
                            {"os", node.text("status.os")},
                            {"arch", node.text("status.arch")}};
  if (const Value* ready = node.at("status.ready")) out.set("ready", *ready);
  if (const Value* cores = node.at("status.capacity.cpu")) out.set("cpu", *cores);
  if (const Value* memory = node.at("status.capacity.memory"))
    out.set("memory", memory->string() != nullptr ? *memory->string() : wire::to_json(*memory));
  out.set("accelerators", accelerators_of(node.at("status.devices")));
  return out;
}

Result<Value> list_nodes(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const Value page,
                   list_page(place, contracts::paths::collection("", "nodes"), given));
  Value::Array nodes;
  for (const Value& node : *page.find("items")->array()) nodes.push_back(node_brief(node));
  Value answer = Value::Object{{"nodes", std::move(nodes)}};
  set_cursor(answer, page);
  return answer;
}

Value snippet_report(const Value& said) {
  Value answer =
      Value::Object{{"success", *said.find("success")}, {"exitCode", *said.find("exit_code")}};
  set_output(answer, said.text("stdout"), said.text("stderr"));
  if (const std::string error = said.text("error"); !error.empty())
    answer.set("error", clipped(error, 600));
  Value::Array findings;
  if (const Value* all = said.find("validation_errors"); all != nullptr && all->array() != nullptr)
    for (const Value& each : *all->array())
      if (findings.size() < kMostFindings && each.string() != nullptr)
        findings.emplace_back(clipped(*each.string(), 600));
  if (!findings.empty()) answer.set("validationErrors", std::move(findings));
  mark_untrusted(answer, {"stdout", "stderr"});
  return answer;
}

Result<Value> execute_snippet(const Place& place, const Arguments& given) {
  Value body =
      Value::Object{{"code", given.text("code")},
                    {"timeout_seconds", given.integer("timeoutSeconds", kUsualSnippetSeconds)}};
  if (given.find("inputJson") != nullptr) {
    auto input = wire::parse_json(given.text("inputJson"));
    if (!input.ok() || input->object() == nullptr)
      return bad_argument("inputJson is the text of a JSON object, such as {\"n\": 1}",
                          "inputJson");
    body.set("input_data", std::move(*input));
  }
  ASSIGN_OR_RETURN(const Value said, place.api.send({"POST", "/execute", body}));
  return snippet_report(said);
}

Tool nodes_tool() {
  return {"nodes",
          "List nodes",
          "The hosts that run commands: system, size, accelerators.",
          object({{"limit", number("20 unless given", 1, kMostListed)}, {"cursor", cursor()}}),
          object({{"nodes",
                   list_of(object({{"node", text("its name")},
                                   {"os", text("linux or darwin")},
                                   {"arch", text("of its processor")},
                                   {"ready", flag("it takes runs")},
                                   {"cpu", number("cores")},
                                   {"memory", text("bytes")},
                                   {"accelerators", texts("how many of which kind and model")}}),
                           "by name")},
                  {"next", text("cursor of the next page, if there is one")}},
                 {"nodes"}),
          true};
}

Tool execute_tool() {
  return {"execute", "Run a piece of Python",
          "Runs a short Python program in a fresh sandbox without files or network. For shell "
          "commands or files use sandbox_exec.",
          object({{"code", text("the program; it finds its input as input_data")},
                  {"inputJson", text("an object as JSON text, handed over as data")},
                  {"timeoutSeconds", number("10 unless given", 1, kMostSnippetSeconds)}},
                 {"code"}),
          object({{"success", flag("it ended with exit code 0")},
                  {"stdout", text("what it printed")},
                  {"stderr", text("what it printed there")},
                  {"exitCode", number("-1 where no program ended")},
                  {"truncated", flag("the middle is missing")},
                  {"error", text("why it did not succeed")},
                  {"validationErrors", texts("what the program may not contain")},
                  {"untrusted", untrusted()}},
                 {"success", "stdout", "stderr", "exitCode", "truncated"})};
}

}  // namespace

std::vector<ToolRow> host_tools() {
  return {{nodes_tool(), list_nodes}, {execute_tool(), execute_snippet}};
}

}  // namespace paddock::mcp

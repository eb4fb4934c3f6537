// Runs: commands on a node that has what they need, which outlive the agent.
#include <algorithm>

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/run.h"
#include "common/mcp/answer_room.h"
#include "common/mcp/argument_names.h"
#include "common/mcp/run_schemas.h"
#include "common/mcp/run_spec.h"
#include "common/mcp/schema_words.h"

namespace paddock::mcp {
namespace {

using contracts::Run;
using wire::Value;
namespace paths = contracts::paths;

constexpr size_t kSentenceRoom = 600;
constexpr size_t kListedRoom = 300;  // of a sentence in a list: kMostListed of them fit
constexpr size_t kMostTail = size_t{1} << 20;
constexpr size_t kPartBytes = size_t{64} << 10;
constexpr size_t kMostReported = 50;
constexpr size_t kReportRoom = size_t{12} << 10;

Result<std::string> run_of(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string name, given.name("run"));
  return paths::run(place.name_space, name);
}

Value run_brief(const Value& run, size_t room = kSentenceRoom) {
  Value out =
      Value::Object{{"run", run.text("metadata.name")}, {"phase", run.text("status.phase")}};
  for (const char* name : {"reason", "message"})
    if (const std::string said = run.text(cat("status.", name)); !said.empty())
      out.set(name, clipped(said, room));
  return out;
}

// Lists the files of the caller's folder that the run does not see, so that a missing `.env` is
// noticed before the run fails.
void set_left_out(const Api::LeftOut& left_out, Value& answer) {
  if (left_out.count == 0) return;
  Value::Array told;
  for (const contracts::LeftOut& each : left_out.told)
    told.emplace_back(clipped(cat(each.path, ": ", each.rule), kListedRoom));
  if (left_out.secrets > 0) answer.set("secretsLeftOut", static_cast<int64_t>(left_out.secrets));
  if (left_out.count > told.size())
    answer.set("moreLeftOut", static_cast<int64_t>(left_out.count - told.size()));
  answer.set("leftOut", std::move(told));
  mark_untrusted(answer, {"leftOut"});
}

Result<Value> start_run(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string name, given.name("name", true));
  ASSIGN_OR_RETURN(const std::string key, idempotency_key(given));
  Result<WantedRun> wanted = wanted_run(place, given, true);
  if (!wanted) return as_arguments(wanted.error(), given);
  const Value body = run_document(metadata_of(name, "run-"), std::move(wanted->spec));
  const Result<Value> made =
      place.api.send({"POST", paths::collection(place.name_space, "runs"), body, key});
  if (!made) return as_arguments(made.error(), given);
  Value answer = run_brief(*made);
  set_left_out(wanted->left_out, answer);
  return answer;
}

// How strongly, by capability: "memory: kernel".
Value::Array levels_of(const Value* enforced) {
  Value::Array out;
  if (enforced == nullptr || enforced->object() == nullptr) return out;
  for (const auto& [name, each] : *enforced->object())
    out.emplace_back(cat(name, ": ", each.text("level")));
  return out;
}

void set_artifacts(const Value* artifacts, Value& out) {
  ListPart part(kReportRoom, kMostReported);
  if (artifacts != nullptr && artifacts->array() != nullptr)
    for (const Value& artifact : *artifacts->array())
      if (!part.add(artifact.text("path"))) {
        out.set("moreArtifacts", true);
        break;
      }
  out.set("artifacts", part.take());
}

Value run_report(const Value& run, bool done) {
  Value out = run_brief(run);
  out.set("done", done);
  if (const std::string node = run.text("status.nodeName"); !node.empty()) out.set("node", node);
  if (const Value* result = run.at("status.result")) {
    for (const char* name : {"rc", "status"})
      if (const Value* value = result->find(name)) out.set(name, *value);
    out.set("enforced", levels_of(result->find("enforced")));
    out.set("denials", denials_of(result->find("denials")));
  }
  set_artifacts(run.at("status.artifacts"), out);
  mark_untrusted(out, {"denials", "artifacts"});
  return out;
}

Result<Value> wait_for_run(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string target, run_of(place, given));
  constexpr Millis kStep{250};
  int64_t steps = given.integer("timeoutSeconds", 20) * 1000 / kStep.count();
  while (true) {
    ASSIGN_OR_RETURN(const Value run, place.api.send({.target = target}));
    const auto phase = wire::parse_enum<contracts::RunPhase>(run.text("status.phase"));
    const bool done = phase && contracts::is_terminal(*phase);
    if (done || steps-- <= 0 || !place.api.pause(kStep)) return run_report(run, done);
  }
}

// Lines that are too many for one reading are fewer lines: the end is what was asked for.
Result<Value> log_end(const Place& place, const std::string& target, int64_t lines) {
  while (true) {
    ASSIGN_OR_RETURN(const Api::Part part,
                     place.api.read(cat(target, "/log?tailLines=", lines), 0, kMostTail));
    if (part.more && lines > 1) {
      lines = std::max<int64_t>(1, lines / 4);
      continue;
    }
    const std::string whole = to_utf8_lossy(part.bytes);
    const std::string_view end = fitting_end(whole, kTextRoom);
    return Value(
        Value::Object{{"text", end}, {"truncated", part.more || end.size() < whole.size()}});
  }
}

Result<Value> read_log(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string target, run_of(place, given));
  const auto offset = given.integer("offset");
  if (!offset) {
    ASSIGN_OR_RETURN(Value end, log_end(place, target, given.integer("tailLines", 200)));
    mark_untrusted(end, {"text"});
    return end;
  }
  ASSIGN_OR_RETURN(const Api::Part part, place.api.read(target + "/log", *offset, kPartBytes));
  Value answer = Value::Object{{"truncated", false}};
  set_bytes(answer, part.bytes, *offset, part.more);
  mark_untrusted(answer, {"text", "base64"});
  return answer;
}

Result<Value> cancel_run(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string target, run_of(place, given));
  ASSIGN_OR_RETURN(const Value run, place.api.send({"POST", target + "/cancel", Value::Object{}}));
  return run_brief(run);
}

Value artifact_list(const Value& list, int64_t offset) {
  const Value::Array& files = *list.find("items")->array();
  ListPart part(kTextRoom - kReportRoom, files.size());
  size_t at = std::min(static_cast<size_t>(offset), files.size());
  for (; at < files.size(); ++at)
    if (!part.add(
            Value::Object{{"path", files[at].text("path")}, {"size", *files[at].find("size")}}))
      break;
  Value answer = Value::Object{{"files", part.take()}};
  if (at < files.size()) answer.set("next", at);
  ListPart left(kReportRoom, kMostReported);
  for (const Value& each : *list.find("leftOut")->array())
    if (!left.add(clipped(cat(each.text("path"), ": ", each.text("rule")), kListedRoom * 2))) break;
  if (left.size() > 0) answer.set("leftOut", left.take());
  mark_untrusted(answer, {"files", "leftOut"});
  return answer;
}

Result<Value> read_artifacts(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string target, run_of(place, given));
  ASSIGN_OR_RETURN(const std::string path, inner_path("path", given.text("path")));
  const int64_t offset = given.integer("offset", 0);
  if (path.empty()) {
    ASSIGN_OR_RETURN(const Value list, place.api.send({.target = target + "/artifacts"}));
    return artifact_list(list, offset);
  }
  ASSIGN_OR_RETURN(
      const Api::Part part,
      place.api.read(cat(target, "/artifacts/", percent_encode_path(path)), offset, kPartBytes));
  Value answer = Value::Object{{"path", clipped(path, kReportRoom)}};
  set_bytes(answer, part.bytes, offset, part.more);
  mark_untrusted(answer, {"text", "base64"});
  return answer;
}

Result<Value> list_runs(const Place& place, const Arguments& given) {
  std::string target = paths::collection(place.name_space, "runs") + "?order=newest";
  if (const std::string phase = given.text("phase"); !phase.empty())
    target += cat("&fieldSelector=status.phase%3D", phase);
  ASSIGN_OR_RETURN(const Value page, list_page(place, target, given));
  Value::Array runs;
  for (const Value& run : *page.find("items")->array()) {
    runs.push_back(run_brief(run, kListedRoom));
    runs.back().set("createdAt", run.text("metadata.creationTimestamp"));
  }
  Value answer = Value::Object{{"runs", std::move(runs)}};
  set_cursor(answer, page);
  return answer;
}

// Nodes that do not fit, by why.
Value::Array groups_of(const Value* groups) {
  Value::Array out;
  if (groups == nullptr || groups->array() == nullptr) return out;
  for (const Value& each : *groups->array()) {
    if (out.size() == 10) break;
    out.push_back(Value::Object{{"nodes", *each.find("nodes")},
                                {"reason", clipped(each.text("reason"), kSentenceRoom)},
                                {"remedy", clipped(each.text("remedy"), kSentenceRoom)}});
  }
  return out;
}

Value plan_report(const Value& plan) {
  Value answer = Value::Object{{"placed", *plan.find("placed")}};
  for (const char* name : {"node", "message"})
    if (const std::string said = plan.text(name); !said.empty())
      answer.set(name, clipped(said, kSentenceRoom));
  answer.set("unfit", groups_of(plan.find("groups")));
  Value::Array lacking;
  if (const Value* enforced = plan.find("enforced");
      enforced != nullptr && enforced->array() != nullptr)
    for (const Value& each : *enforced->array())
      if (!*each.find("available")->boolean()) lacking.emplace_back(each.text("capability"));
  answer.set("notEnforceable", std::move(lacking));
  return answer;
}

Result<Value> plan_run(const Place& place, const Arguments& given) {
  Result<WantedRun> wanted = wanted_run(place, given, false);
  if (!wanted) return as_arguments(wanted.error(), given);
  const Value body = run_document(Value::Object{{"name", "plan"}}, std::move(wanted->spec));
  const Result<Value> planned =
      place.api.send({"POST", paths::collection(place.name_space, "plan"), body});
  if (!planned) return as_arguments(planned.error(), given);
  Value answer = plan_report(*planned);
  set_left_out(wanted->left_out, answer);
  return answer;
}

}  // namespace

std::vector<ToolRow> run_tools(bool folders) {
  return {{run_start_tool(folders), start_run}, {run_wait_tool(), wait_for_run},
          {run_logs_tool(), read_log},          {run_artifacts_tool(), read_artifacts},
          {run_cancel_tool(), cancel_run},      {run_list_tool(), list_runs},
          {run_plan_tool(folders), plan_run}};
}

}  // namespace paddock::mcp

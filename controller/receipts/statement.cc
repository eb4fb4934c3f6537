#include "controller/receipts/statement.h"

#include "common/base/text.h"
#include "common/contracts/receipt.h"
#include "common/contracts/version.h"
#include "common/crypto/digest.h"
#include "common/wire/json.h"

namespace paddock::receipts {
namespace {

using contracts::Run;
using wire::Value;

Value resource(std::string name, std::string sha256) {
  return Value::Object{{"name", std::move(name)},
                       {"digest", Value::Object{{"sha256", std::move(sha256)}}}};
}

Value::Array subjects(const Run& run) {
  Value::Array out;
  if (run.status.result) {
    out.push_back(resource("output/stdout", crypto::sha256_hex(run.status.result->out)));
    out.push_back(resource("output/stderr", crypto::sha256_hex(run.status.result->err)));
  }
  for (const contracts::Artifact& each : run.status.artifacts)
    out.push_back(resource(cat("artifacts/", each.path), each.digest));
  // A run that never began gave nothing: then it itself is what is spoken of.
  if (out.empty()) out.push_back(resource("run", crypto::sha256_hex(run.metadata.uid)));
  return out;
}

Value::Array inputs(const Run& run) {
  Value::Array out;
  if (!run.status.workspace_root.empty())
    out.push_back(resource(cat("workspace/", run.spec.workspace), run.status.workspace_root));
  for (const contracts::MountedVolume& each : run.status.volumes)
    out.push_back(resource(cat("volumes/", each.name, "@", each.version), each.root));
  if (!run.spec.code.empty()) out.push_back(resource("code", crypto::sha256_hex(run.spec.code)));
  if (run.spec.input_data)
    out.push_back(resource("inputData", crypto::sha256_hex(wire::to_json(*run.spec.input_data))));
  return out;
}

// Variables are how people hand over credentials, and a receipt is passed on: their names alone.
Value policy_of(const contracts::SandboxPolicy& policy) {
  contracts::SandboxPolicy shown = policy;
  for (auto& [name, value] : shown.env) value = "***";
  return wire::encode(shown);
}

// The result without the program's output, which may be anything; a receipt has the output's digest
// among its subjects.
Value result_of(const contracts::SandboxResult& result) {
  Value out = wire::encode(result);
  out.erase("stdout");
  out.erase("stderr");
  if (result.policy) out.set("policy", policy_of(*result.policy));
  return out;
}

void set_time(Value& out, std::string_view name, const std::optional<wire::Timestamp>& time) {
  if (time) out.set(name, wire::encode(*time));
}

Value predicate(const Run& run) {
  const contracts::RunStatus& status = run.status;
  Value out = Value::Object{{"run", Value::Object{{"namespace", run.metadata.name_space},
                                                  {"name", run.metadata.name},
                                                  {"uid", run.metadata.uid}}},
                            {"type", wire::encode(run.spec.type)},
                            {"createdBy", status.created_by},
                            {"controller", contracts::kProgramVersion},
                            {"node", status.node_name},
                            {"attempt", status.attempt},
                            {"phase", wire::encode(status.phase)},
                            {"reason", status.reason},
                            {"inputs", inputs(run)}};
  set_time(out, "createdAt", run.metadata.creation_timestamp);
  set_time(out, "startedAt", status.started_at);
  set_time(out, "finishedAt", status.finished_at);
  if (status.policy) out.set("policy", policy_of(*status.policy));
  if (status.result) out.set("result", result_of(*status.result));
  Value::Array left_out;
  for (const contracts::LeftOut& each : status.left_out) left_out.push_back(wire::encode(each));
  out.set("leftOut", std::move(left_out));
  return out;
}

}  // namespace

Value statement(const Run& run) {
  return Value::Object{{"_type", contracts::kStatementType},
                       {"subject", subjects(run)},
                       {"predicateType", contracts::kReceiptPredicate},
                       {"predicate", predicate(run)}};
}

}  // namespace paddock::receipts

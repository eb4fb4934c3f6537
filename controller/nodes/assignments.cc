#include "controller/nodes/assignments.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/wire/json.h"

namespace paddock::nodes {

namespace {
// How much code one answer carries, as it is sent. Any single run has less; a node takes in several
// times as much.
constexpr size_t kMostCode = size_t{16} << 20;

bool is_agent(const contracts::Run& run) { return run.spec.type == contracts::RunType::kAgent; }
}  // namespace

Result<std::vector<contracts::Assignment>> assignments_for(store::ReadTxn& txn,
                                                           const std::string& node) {
  ASSIGN_OR_RETURN(std::vector<contracts::Run> runs, txn.active_runs_on(node));
  std::vector<contracts::Assignment> assignments;
  if (runs.empty()) return assignments;
  ASSIGN_OR_RETURN(const auto acked, txn.output_acked_on(node));
  store::ReadTxn::RunInputs inputs;
  if (std::ranges::any_of(runs, is_agent)) {
    ASSIGN_OR_RETURN(inputs, txn.run_inputs_on(node));
  }
  for (contracts::Run& run : runs) {
    contracts::Assignment assignment;
    assignment.run_uid = run.metadata.uid;
    assignment.name_space = run.metadata.name_space;
    assignment.name = run.metadata.name;
    assignment.attempt = run.status.attempt;
    const bool end_it = run.spec.cancel_requested || run.status.eviction.has_value();
    assignment.desired = end_it ? contracts::DesiredState::kCancel : contracts::DesiredState::kRun;
    assignment.kill_now = run.status.kill_now;
    assignment.policy = run.status.policy.value_or(run.spec.sandbox);
    assignment.environment = run.status.environment;
    assignment.spec = std::move(run.spec);
    assignment.tool_bundle = run.status.tool_bundle.has_value();
    assignment.workspace_root = run.status.workspace_root;
    assignment.volumes = run.status.volumes;
    const store::ReadTxn::Attempt attempt(assignment.run_uid, assignment.attempt);
    const auto stored = acked.find(attempt);
    if (stored != acked.end()) assignment.output_acked = stored->second;
    const auto given = inputs.find(attempt);
    const bool agent = assignment.spec.type == contracts::RunType::kAgent;
    if (agent && given != inputs.end()) assignment.inputs = std::move(given->second);
    assignments.push_back(std::move(assignment));
  }
  return assignments;
}

void name_artifact_types(std::vector<contracts::Assignment>& assignments,
                         const std::vector<std::string>& compute) {
  for (contracts::Assignment& each : assignments) {
    if (each.spec.type == contracts::RunType::kCompute) each.artifact_types = compute;
  }
}

void spare_code(std::vector<contracts::Assignment>& assignments,
                const std::vector<contracts::RunReport>& named) {
  std::set<std::pair<std::string_view, int64_t>> known;
  for (const contracts::RunReport& each : named) known.emplace(each.run_uid, each.attempt);
  size_t used = 0;
  std::erase_if(assignments, [&](contracts::Assignment& each) {
    if (each.spec.type != contracts::RunType::kCode) return false;
    if (known.contains({each.run_uid, each.attempt})) {
      each.spec.code.clear();
      each.spec.input_data.reset();
      return false;
    }
    used += wire::encode_json(each.spec).size();
    return used > kMostCode;
  });
}

std::string version_of(const std::vector<contracts::Assignment>& assignments,
                       const std::vector<std::string>& sessions) {
  std::string text;
  for (const contracts::Assignment& each : assignments) {
    text += cat(each.run_uid, " ", each.attempt, " ", wire::enum_name(each.desired));
    if (each.kill_now.value_or(false)) text += " now";
    if (!each.inputs.empty()) text += cat(" ", each.inputs.back().seq);
    text += "\n";
  }
  for (const std::string& uid : sessions) text += cat("session ", uid, "\n");
  return crypto::sha256_hex(text).substr(0, 16);
}

}  // namespace paddock::nodes

#include "controller/nodes/assignments.h"

#include <optional>
#include <set>
#include <utility>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/wire/json.h"

namespace paddock::nodes {

namespace {
// The most bytes of code in one answer. A single run always has less, and a node can take several
// times as much.
constexpr size_t kMostCode = size_t{16} << 20;

bool is_agent(const contracts::Run& run) { return run.spec.type == contracts::RunType::kAgent; }

contracts::DesiredState desired_of(const contracts::Run& run) {
  const bool end_it = run.spec.cancel_requested || run.status.eviction.has_value();
  return end_it ? contracts::DesiredState::kCancel : contracts::DesiredState::kRun;
}

contracts::Assignment assignment_of(const contracts::Run& run) {
  contracts::Assignment assignment;
  assignment.run_uid = run.metadata.uid;
  assignment.name_space = run.metadata.name_space;
  assignment.name = run.metadata.name;
  assignment.attempt = run.status.attempt;
  assignment.desired = desired_of(run);
  assignment.kill_now = run.status.kill_now;
  assignment.policy = run.status.policy.value_or(run.spec.sandbox);
  assignment.environment = run.status.environment;
  assignment.spec = run.spec;
  assignment.tool_bundle = run.status.tool_bundle.has_value();
  assignment.workspace_root = run.status.workspace_root;
  assignment.volumes = run.status.volumes;
  return assignment;
}

// The facts of an assignment that the version is made of.
struct Wanted {
  std::string uid;
  int64_t attempt = 0;
  contracts::DesiredState desired = contracts::DesiredState::kRun;
  bool kill_now = false;
  std::optional<int64_t> last_input = {};
};

Wanted wanted_of(const contracts::Run& run) {
  return {run.metadata.uid, run.status.attempt, desired_of(run),
          run.status.kill_now.value_or(false)};
}

Wanted wanted_of(const contracts::Assignment& each) {
  Wanted wanted{each.run_uid, each.attempt, each.desired, each.kill_now.value_or(false)};
  if (!each.inputs.empty()) wanted.last_input = each.inputs.back().seq;
  return wanted;
}

std::string version_of(const std::vector<Wanted>& all, const std::vector<std::string>& sessions) {
  std::string text;
  for (const Wanted& each : all) {
    text += cat(each.uid, " ", each.attempt, " ", wire::enum_name(each.desired));
    if (each.kill_now) text += " now";
    if (each.last_input) text += cat(" ", *each.last_input);
    text += "\n";
  }
  for (const std::string& uid : sessions) text += cat("session ", uid, "\n");
  return crypto::sha256_hex(text).substr(0, 16);
}
}  // namespace

Result<std::vector<contracts::Assignment>> assignments_for(store::ReadTxn& txn,
                                                           const std::string& node) {
  std::vector<contracts::Assignment> assignments;
  bool agents = false;
  TRY(txn.visit_active_runs_on(node, [&](const contracts::Run& run) {
    assignments.push_back(assignment_of(run));
    agents = agents || is_agent(run);
  }));
  if (assignments.empty()) return assignments;
  ASSIGN_OR_RETURN(const auto acked, txn.output_acked_on(node));
  store::ReadTxn::RunInputs inputs;
  if (agents) {
    ASSIGN_OR_RETURN(inputs, txn.run_inputs_on(node));
  }
  for (contracts::Assignment& each : assignments) {
    const store::ReadTxn::Attempt attempt(each.run_uid, each.attempt);
    const auto stored = acked.find(attempt);
    if (stored != acked.end()) each.output_acked = stored->second;
    const auto given = inputs.find(attempt);
    const bool agent = each.spec.type == contracts::RunType::kAgent;
    if (agent && given != inputs.end()) each.inputs = std::move(given->second);
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
  std::vector<Wanted> all;
  for (const contracts::Assignment& each : assignments) all.push_back(wanted_of(each));
  return version_of(all, sessions);
}

Result<std::string> version_for(store::ReadTxn& txn, const std::string& node) {
  std::vector<Wanted> all;
  std::vector<size_t> agents;
  TRY(txn.visit_active_runs_on(node, [&](const contracts::Run& run) {
    if (is_agent(run)) agents.push_back(all.size());
    all.push_back(wanted_of(run));
  }));
  if (!agents.empty()) {
    ASSIGN_OR_RETURN(const auto inputs, txn.run_inputs_on(node));
    for (const size_t i : agents) {
      const auto given = inputs.find({all[i].uid, all[i].attempt});
      if (given != inputs.end() && !given->second.empty())
        all[i].last_input = given->second.back().seq;
    }
  }
  ASSIGN_OR_RETURN(const auto sessions, txn.sessions_on(node));
  return version_of(all, sessions);
}

}  // namespace paddock::nodes

#include "controller/media/generate.h"

#include "controller/auth/denial_codes.h"
#include "controller/auth/grants.h"
#include "controller/auth/tool_token.h"
#include "controller/media/internal/http_provider.h"
#include "controller/media/policy.h"
#include "controller/store/grant_reads.h"

namespace paddock::media {
namespace {

using contracts::Run;

Error unavailable_policy() {
  return {Code::kPermissionDenied, auth::kMediaPolicyUnavailable,
          "the media policy of this run cannot be resolved"};
}

Status check_provenance(const MediaSettings& settings, const MediaCall& call,
                        const std::optional<Run>& run) {
  if (call.caller.tool) {
    auth::ToolTarget target{call.run.name_space, call.run.name, {}};
    if (run) target.run_uid = run->metadata.uid;
    return auth::authorize_tool(*call.caller.tool, contracts::kGenerateMedia, target);
  }
  if (!settings.sandbox_mode) return {};
  return Error{Code::kUnauthenticated, auth::kToolTokenMissing,
               "tool token is required for media generation in sandbox mode"};
}

// The chain of that of the run's grants which allows the request; empty if the run has no grant.
Result<std::vector<contracts::Grant>> granted(store::ReadTxn& txn, const Run& run,
                                              const contracts::MediaRequest& request) {
  const auto chains = store::grant_chains(txn, run.metadata.name_space, run.status.grants);
  if (!chains)
    return chains.error().code == Code::kFailedPrecondition ? unavailable_policy() : chains.error();
  const auth::GrantAnswer answer = auth::decide_media(*chains, request.surface, request.model);
  if (!answer.decision.allowed) return auth::denial_of(answer.decision);
  return answer.chain ? (*chains)[*answer.chain] : std::vector<contracts::Grant>();
}

// Decides, and counts it on the grants, in one transaction: two that come at once share no count.
Result<Run> decide(store::WriteTxn& txn, const MediaSettings& settings, const MediaCall& call,
                   std::vector<contracts::Grant>& charged) {
  ASSIGN_OR_RETURN(const std::optional<Run> run, txn.find<Run>(call.run));
  TRY(check_provenance(settings, call, run));
  const bool known = run && !contracts::is_terminal(run->status.phase);
  if (!known || !run->spec.media_execution) return unavailable_policy();
  TRY(check_policy(*run->spec.media_execution, call.request));
  ASSIGN_OR_RETURN(charged, granted(txn, *run, call.request));
  if (settings.provider_url.empty())
    return Error{Code::kFailedPrecondition, "MEDIA_PROVIDER_NOT_CONFIGURED",
                 "this server has no media provider; its operator names one in media.providerUrl"};
  for (contracts::Grant& grant : charged) {
    ++grant.status.media_used;
    TRY(txn.update(grant));
  }
  return *run;
}

// Gives back what was charged for a request that never reached the provider, or that it refused.
Status give_back(store::WriteTxn& txn, const std::vector<contracts::Grant>& charged) {
  for (const contracts::Grant& each : charged) {
    ASSIGN_OR_RETURN(auto grant,
                     txn.find<contracts::Grant>({each.metadata.name_space, each.metadata.name}));
    if (!grant || grant->metadata.uid != each.metadata.uid) continue;
    --grant->status.media_used;
    TRY(txn.update(*grant));
  }
  return {};
}

// The details for the audit log. They leave out the prompt, which belongs to the run.
std::map<std::string, std::string> details_of(const MediaCall& call, const std::string& task_id) {
  std::map<std::string, std::string> out = {
      {"taskId", task_id},
      {"surface", std::string(wire::enum_name(call.request.surface))},
      {"model", contracts::audit_text(call.request.model)}};
  if (call.caller.tool) out["toolToken"] = call.caller.tool->token;
  return out;
}

}  // namespace

Result<contracts::MediaTask> generate_media_for_run(const MediaSettings& settings,
                                                    store::Store& store, const MediaCall& call,
                                                    WallTime now, Random& random) {
  Run run;
  std::vector<contracts::Grant> charged;
  const std::string task_id = make_uuid(random);
  TRY(store.write([&](store::WriteTxn& txn) -> Status {
    charged.clear();
    ASSIGN_OR_RETURN(run, decide(txn, settings, call, charged));
    return call.record(txn, contracts::audit::kMediaGenerate, run, {}, details_of(call, task_id));
  }));
  const internal::HttpProvider provider(settings.provider_url, settings.timeout);
  auto task = provider.generate(
      {task_id, run.metadata.name_space, run.metadata.name, run.metadata.uid, call.request});
  if (!task) {
    const Status told = store.write([&](store::WriteTxn& txn) -> Status {
      if (task.error().reason == "MEDIA_PROVIDER_FAILED") TRY(give_back(txn, charged));
      return call.record(txn, contracts::audit::kMediaFailed, run, task.error().reason,
                         {{"taskId", task_id}});
    });
    if (!told.ok()) return told.error();
    return task.error();
  }
  task->started_at = wire::Timestamp{now};
  return task;
}

}  // namespace paddock::media

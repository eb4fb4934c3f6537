#include "controller/api/handlers/runs/policy.h"

#include "controller/admission/denial_judgement.h"
#include "controller/admission/policy_explanation.h"
#include "controller/api/server/documents.h"
#include "controller/nodes/node_sizes.h"

namespace paddock::api {
namespace {

using contracts::PolicyQuestion;
using contracts::Run;
using contracts::RunSpec;
using contracts::SandboxPolicy;

struct Asked {
  RunSpec spec;
  SandboxPolicy effective;
};

// The policy as `paddock run` would ask for it.
Result<Asked> asked_policy(const PolicyQuestion& question, const contracts::Profiles& profiles) {
  Asked out;
  out.spec.type = contracts::RunType::kCommand;
  out.spec.profile = question.profile;
  if (question.sandbox) out.spec.sandbox = *question.sandbox;
  const std::string name = admission::profile_of(out.spec);
  const auto profile = profiles.find(name);
  if (profile == profiles.end())
    return invalid_argument("PROFILE_UNKNOWN",
                            cat("\"", name, "\" is not one of: ", contracts::names_of(profiles)),
                            "profile");
  out.effective = admission::policy_for(out.spec, profile->second.policy);
  return out;
}

// The policy that was fixed for the run when it was made.
Result<Asked> policy_of_run(store::ReadTxn& txn, const store::Key& key) {
  ASSIGN_OR_RETURN(Run run, txn.get<Run>(key));
  return Asked{std::move(run.spec), run.status.policy.value_or(SandboxPolicy{})};
}

Status check_question(const PolicyQuestion& question) {
  if (question.run.empty() || (!question.sandbox && question.profile.empty())) return {};
  return invalid_argument("INVALID_FIELD",
                          "ask for a run, or for a policy and its profile: not for both", "run");
}

Result<std::vector<contracts::JudgedDenial>> judged_denials(store::ReadTxn& txn,
                                                            const store::Key& key,
                                                            const SandboxPolicy& policy) {
  ASSIGN_OR_RETURN(const Run run, txn.get<Run>(key));
  if (!contracts::is_terminal(run.status.phase))
    return Error{Code::kFailedPrecondition,
                 "RUN_NOT_ENDED",
                 cat("run ", key.name, " is still ", wire::enum_name(run.status.phase),
                     "; what it was denied is known when it has ended"),
                 {{"against", "has not ended"}}};
  std::vector<contracts::JudgedDenial> out;
  if (!run.status.result) return out;
  for (const contracts::Denial& denial : run.status.result->denials)
    out.push_back(admission::judge_denial(denial, policy));
  return out;
}

}  // namespace

Result<Response> explain_policy(Call& call) {
  ASSIGN_OR_RETURN(const auto question, decode_body<PolicyQuestion>(call.body));
  TRY(check_question(question));
  contracts::PolicyExplanation out;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const Asked asked, question.run.empty()
                                            ? asked_policy(question, call.services.profiles)
                                            : policy_of_run(txn, {call.param("ns"), question.run}));
    admission::AdmissionContext context{call.services.ceilings, call.services.profiles, {}};
    ASSIGN_OR_RETURN(const auto nodes, txn.list<contracts::Node>({}));
    context.largest = nodes::largest_limits(nodes.items, call.services.profiles);
    out.profile = admission::profile_of(asked.spec);
    out.rules = admission::explain_policy(asked.spec, asked.effective, context);
    if (question.against.empty()) return {};
    ASSIGN_OR_RETURN(out.denials,
                     judged_denials(txn, {call.param("ns"), question.against}, asked.effective));
    return {};
  }));
  return object_response(out);
}

}  // namespace paddock::api

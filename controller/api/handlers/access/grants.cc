#include "controller/api/handlers/access/grants.h"

#include <algorithm>
#include <limits>

#include "controller/api/handlers/access/grant_kind.h"
#include "controller/api/objects/spec_differences.h"
#include "controller/api/server/documents.h"
#include "controller/auth/grants.h"
#include "controller/reconciler/reconciler.h"
#include "controller/scheduler/quota.h"
#include "controller/store/grant_reads.h"

namespace paddock::api {

using contracts::Grant;
using contracts::Run;

namespace {

Error not_yours(const std::string& name) {
  const std::string message = cat("grant ", name, " is not a part of what this caller was granted");
  return {Code::kPermissionDenied, "GRANT_NOT_YOURS", message, {{"spec.grants", message}}};
}

// The resources that the run is placed for. If its sandbox lets it use more memory, that amount
// counts.
contracts::Resources resources_of(const Run& run) {
  contracts::Resources out = run.spec.resources.value_or(contracts::Resources{});
  const auto limit = run.status.policy ? run.status.policy->limits.memory : std::nullopt;
  const wire::Quantity held = limit.value_or(wire::Quantity{std::numeric_limits<int64_t>::max()});
  out.memory = out.memory ? std::max(*out.memory, held) : held;
  return out;
}

// The grants that the run names, checked against the caller's own; or those.
Result<auth::GrantChains> chains_for(store::ReadTxn& txn, const Run& run,
                                     const std::vector<Grant>& all,
                                     std::vector<std::string>& names) {
  const std::string& name_space = run.metadata.name_space;
  const std::vector<std::string> own_names = store::grants_of(all, run.status.created_by);
  ASSIGN_OR_RETURN(auto own, store::grant_chains(txn, name_space, own_names));
  names = run.spec.grants.empty() ? own_names : run.spec.grants;
  if (run.spec.grants.empty()) return own;
  ASSIGN_OR_RETURN(auto named, store::grant_chains(txn, name_space, names));
  for (const auth::GrantChain& chain : named) {
    if (!auth::may_name(own, chain)) return not_yours(chain.front().metadata.name);
  }
  return named;
}

// Checks that the run could be placed if nothing else of its namespace were.
Status check_quotas(const Run& run, const std::vector<Grant>& all) {
  const scheduler::Charge charge = scheduler::whole_charge_of(scheduler::demand_of(run));
  for (const Grant& grant : all) {
    const auto quota = contracts::quota_of(grant.spec);
    if (!quota) continue;
    TRY(scheduler::check_alone(run.metadata.name_space, grant.metadata.name, *quota, charge));
  }
  return {};
}

// A quota also bounds callers who may write grants: if they could set it, they could raise their
// own.
Status check_quota_writer(const auth::Principal& writer) {
  if (auth::authorize(writer, auth::Scope::kAdmin, {}, {}).ok()) return {};
  const std::string message =
      "only an administrator of all namespaces (scope admin) sets, changes or removes a quota";
  return Error{
      Code::kPermissionDenied, "QUOTA_NOT_YOURS", message, {{"spec.compute.quota", message}}};
}

void wake_scheduler(store::WriteTxn& txn, const Grant& grant) {
  if (contracts::quota_of(grant.spec)) txn.touch(store::kSchedulerTopic);
}

}  // namespace

void KindTraits<Grant>::complete(Services& services, Grant& grant) {
  if (!contracts::quota_of(grant.spec)) return;
  grant.status.quota_used = services.reconciler.quota_use(grant.metadata.name_space);
}

Status KindTraits<Grant>::check_maker(const auth::Principal& maker, const Grant& grant) {
  return contracts::quota_of(grant.spec) ? check_quota_writer(maker) : Status();
}
Status KindTraits<Grant>::check_changer(const auth::Principal& changer, const Grant& live,
                                        Grant& next) {
  const bool same = contracts::quota_of(live.spec) == contracts::quota_of(next.spec);
  return same ? Status() : check_quota_writer(changer);
}
Grant KindTraits<Grant>::stand_in(contracts::ObjectMeta meta, const store::ObjectHead&) {
  Grant out = bare<Grant>(std::move(meta));
  out.spec.compute.emplace().quota.emplace();
  return out;
}
Status KindTraits<Grant>::check_remover(const auth::Principal& remover, const Grant& grant) {
  return contracts::quota_of(grant.spec) ? check_quota_writer(remover) : Status();
}

Status pin_grants(store::ReadTxn& txn, const std::vector<Grant>& all, Run& run, WallTime now) {
  TRY(check_quotas(run, all));
  ASSIGN_OR_RETURN(const auth::GrantChains chains, chains_for(txn, run, all, run.status.grants));
  const auth::ComputeWish wish{resources_of(run), run.spec.timeout};
  const auth::GrantAnswer answer = auth::decide_compute(chains, wish, now);
  if (!answer.decision.allowed) return auth::denial_of(answer.decision);
  if (answer.chain) run.status.deadline_at = auth::deadline_of(chains[*answer.chain]);
  return {};
}

namespace {

// The grants that this one is a part of, from its parent on.
Result<auth::GrantChain> parents_of(Services& services, const Grant& grant) {
  auth::GrantChain whole;
  Status read = services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(whole, store::grant_chain(txn, grant.metadata.name_space, grant.spec.parent));
    return {};
  });
  if (read.ok()) return whole;
  Error error = std::move(read).error();
  for (Cause& cause : error.causes) cause.field = "spec.parent";
  return error;
}

}  // namespace

Status check_part(Services& services, const Grant& grant) {
  if (grant.spec.parent.empty()) return {};
  ASSIGN_OR_RETURN(const auth::GrantChain whole, parents_of(services, grant));
  for (const Grant& link : whole) {
    if (link.metadata.name == grant.metadata.name)
      return Error{Code::kFailedPrecondition,
                   "GRANT_CHAIN_INVALID",
                   "a grant cannot be a part of itself",
                   {{"spec.parent", "a grant cannot be a part of itself"}}};
  }
  std::vector<Cause> wider = auth::wider_fields(grant.spec, whole.front().spec);
  if (wider.empty()) return {};
  return Error{Code::kPermissionDenied, "GRANT_NOT_NARROWER",
               cat(wider[0].field, ": ", wider[0].message), std::move(wider)};
}

Status KindTraits<Grant>::prepare_new(Services& services, Grant& grant) {
  return check_part(services, grant);
}
// Only a changed spec has to be narrower than the parent grant. So a grant can still be labelled,
// and released, where its parent gives less by now or is gone.
Status KindTraits<Grant>::check_update(Services& services, const Grant& live, Grant& next) {
  if (!spec_differs(live, next)) return {};
  ++next.metadata.generation;
  return check_part(services, next);
}
Status KindTraits<Grant>::save_new(Services&, store::WriteTxn& txn, Grant& grant, WallTime) {
  wake_scheduler(txn, grant);
  return txn.create(grant);
}
Status KindTraits<Grant>::save_update(Services&, store::WriteTxn& txn, Grant& next, WallTime) {
  ASSIGN_OR_RETURN(const Grant live,
                   txn.get<Grant>({next.metadata.name_space, next.metadata.name}));
  wake_scheduler(txn, live);
  wake_scheduler(txn, next);
  return txn.update(next);
}
Status KindTraits<Grant>::prepare_delete(store::WriteTxn& txn, const Grant& grant, WallTime) {
  wake_scheduler(txn, grant);
  return {};
}
Status KindTraits<Grant>::save_marked(store::WriteTxn& txn, Grant& grant, WallTime) {
  wake_scheduler(txn, grant);
  return txn.update(grant);
}

Result<Response> explain_grant(Call& call) {
  ASSIGN_OR_RETURN(const auto question, decode_body<contracts::GrantQuestion>(call.body));
  if (!question.surface && !question.resources && !question.timeout)
    return invalid_argument("QUESTION_EMPTY", "ask for a surface, for resources or for a timeout");
  auth::GrantChains chains;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN([[maybe_unused]] const Grant grant, txn.get<Grant>(call.key()));
    ASSIGN_OR_RETURN(auto chain, store::grant_chain(txn, call.param("ns"), grant.metadata.name));
    chains.push_back(std::move(chain));
    return {};
  }));
  contracts::GrantDecision decision;
  decision.allowed = true;
  const auto add = [&](const contracts::GrantDecision& part) {
    if (decision.allowed && !part.allowed) {
      decision.reason = part.reason;
      decision.message = part.message;
    }
    decision.allowed = decision.allowed && part.allowed;
    decision.checks.insert(decision.checks.end(), part.checks.begin(), part.checks.end());
  };
  if (question.surface) add(auth::decide_media(chains, *question.surface, question.model).decision);
  if (question.resources || question.timeout)
    add(auth::decide_compute(
            chains, {question.resources.value_or(contracts::Resources{}), question.timeout},
            call.now())
            .decision);
  return object_response(decision);
}

}  // namespace paddock::api

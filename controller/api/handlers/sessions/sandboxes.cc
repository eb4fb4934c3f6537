#include "controller/api/handlers/sessions/sandboxes.h"

#include <algorithm>
#include <array>
#include <set>

#include "common/base/log.h"
#include "controller/api/handlers/sessions/sandbox_kind.h"
#include "controller/api/handlers/sessions/session_access.h"
#include "controller/api/objects/deletes.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/calls/relay.h"
#include "controller/nodes/node_sizes.h"
#include "controller/reconciler/reconciler.h"
#include "controller/sessions/claims.h"
#include "controller/sessions/life.h"
#include "controller/sessions/placement.h"
#include "controller/sessions/under_way.h"
#include "controller/store/grant_reads.h"

namespace paddock::api {
namespace {

using contracts::Sandbox;

constexpr Millis kCloseTime{5'000};

// The words of a session's limits for those of a policy.
std::string session_field(const std::string& field) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {
      {{"limits.wallTime", "limits.timeoutMs"},
       {"limits.cpuTime", "limits.timeoutMs"},
       {"limits.fileSize", "limits.fsBytes"},
       {"limits.memory", "limits.memoryBytes"},
       {"limits.stdout", "limits.stdoutBytes"},
       {"limits.stderr", "limits.stderrBytes"}}};
  for (const auto& [policy, session] : kNames) {
    if (field == policy) return cat("spec.security.", session);
  }
  return cat("spec.security.", field);
}

Status refuse(const std::vector<contracts::CeilingRefusal>& over) {
  if (over.empty()) return {};
  Error error = invalid_argument(over[0].reason, over[0].message);
  for (const auto& each : over) error.causes.push_back({session_field(each.field), each.message});
  return error;
}

Status check_grace_of(const Sandbox& session, const contracts::Ceilings& ceilings) {
  Status allowed = contracts::check_grace(session.spec.termination_grace, ceilings);
  if (allowed.ok()) return allowed;
  Error error = std::move(allowed).error();
  for (auto& cause : error.causes) cause.field = cat("spec.", cause.field);
  return error;
}

Status check_environment(const contracts::Profile& profile,
                         const contracts::SandboxPolicy& policy) {
  const auto made = contracts::command_environment(profile.environment, policy, false);
  if (made.ok()) return {};
  Error error = made.error();
  for (auto& cause : error.causes) cause.field = cat("spec.security.", cause.field);
  return error;
}

}  // namespace

Status KindTraits<Sandbox>::prepare_new(Services& services, Sandbox& session) {
  session.spec = contracts::with_session_defaults(std::move(session.spec));
  ASSIGN_OR_RETURN(const contracts::Profile profile, session_profile(services));
  const auto policy = contracts::session_policy(session.spec.security, profile.policy);
  TRY(refuse(contracts::over_ceilings(policy, services.ceilings)));
  TRY(check_grace_of(session, services.ceilings));
  TRY(check_environment(profile, policy));
  if (!session.status.expires_at)
    session.status.expires_at =
        wire::Timestamp{services.clock.wall() + session.spec.lifetime->value};
  return services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto nodes, txn.list<contracts::Node>({}));
    const auto largest = nodes::largest_limits(nodes.items, services.profiles);
    TRY(refuse(
        contracts::over_largest(policy, largest, services.ceilings, "the largest node known")));
    ASSIGN_OR_RETURN(const auto counts, txn.session_counts());
    ASSIGN_OR_RETURN(session.status.node_name,
                     sessions::choose_node({session.spec, policy}, nodes.items, counts));
    return {};
  });
}

Result<reconciler::QueueReservation> KindTraits<Sandbox>::reserve_queue(Services& services,
                                                                        const Sandbox& session) {
  bool bounded = services.reconciler.bounds(session.metadata.name_space);
  if (!bounded) {
    TRY(services.store.read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(const auto grants, store::grants_in(txn, session.metadata.name_space));
      bounded = std::ranges::any_of(
          grants, [](const auto& grant) { return contracts::quota_of(grant.spec).has_value(); });
      return {};
    }));
  }
  return bounded ? services.reconciler.reserve_session(session) : reconciler::QueueReservation();
}

Status KindTraits<Sandbox>::save_new(Services&, store::WriteTxn& txn, Sandbox& session,
                                     WallTime now) {
  TRY(sessions::check_claim(txn, session));
  TRY(txn.create(session));
  TRY(sessions::tell_claim(txn, session));
  txn.touch(store::node_topic(session.status.node_name));
  txn.touch(store::kSchedulerTopic);  // whoever sweeps learns of its deadline
  return sessions::note_use(txn, session, now);
}

namespace {

// The node names fields of the policy; the caller wrote those of the session.
Error in_words_of_the_session(Error error) {
  for (Cause& cause : error.causes) {
    if (cause.field.starts_with("tools[")) cause.field.replace(0, 5, "toolAllowlist");
    cause.field = session_field(cause.field);
  }
  return error;
}

// Gives the session to a node that has not refused it yet; false: there is none.
Result<bool> move_away(const Call& call, Sandbox& session, const std::set<std::string>& refused) {
  ASSIGN_OR_RETURN(const contracts::Profile profile, session_profile(call.services));
  bool moved = false;
  const Status written = call.services.store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(Sandbox now,
                     txn.get<Sandbox>({session.metadata.name_space, session.metadata.name}));
    TRY(sessions::check_lives(now));
    ASSIGN_OR_RETURN(auto nodes, txn.list<contracts::Node>({}));
    std::erase_if(nodes.items,
                  [&](const auto& node) { return refused.contains(node.metadata.name); });
    ASSIGN_OR_RETURN(const auto counts, txn.session_counts());
    const auto policy = contracts::session_policy(now.spec.security, profile.policy);
    const auto next = sessions::choose_node({now.spec, policy}, nodes.items, counts);
    if (!next.ok() || now.metadata.uid != session.metadata.uid) return {};
    txn.touch(store::node_topic(now.status.node_name));
    now.status.node_name = *next;
    txn.touch(store::node_topic(now.status.node_name));
    TRY(txn.update(now));
    session = std::move(now);
    moved = true;
    return {};
  });
  if (!written.ok()) return written.error();
  return moved;
}

}  // namespace

// A node that does not answer now is asked again with the first use. One that cannot have such a
// session (a tool, a folder of the host that is not there) has said so before anybody was told of
// it: another one is asked, a few at the most.
Status KindTraits<Sandbox>::after_create(const Call& call, Sandbox& session) {
  constexpr size_t kMostNodesAsked = 8;
  std::set<std::string> refused;
  Status first;
  while (refused.size() < kMostNodesAsked) {
    const Status opened = open_session(call.services, session, call.principal);
    if (opened.ok()) return {};
    if (opened.error().code != Code::kFailedPrecondition) {
      log_info("a session is not open yet", {{"why", opened.error().describe()}});
      return {};
    }
    if (refused.empty()) first = opened;
    refused.insert(session.status.node_name);
    ASSIGN_OR_RETURN(const bool moved, move_away(call, session, refused));
    if (!moved) break;
  }
  TRY(call.services.store.write_freeing([&](store::WriteTxn& txn) -> Status {
    const store::Key key{session.metadata.name_space, session.metadata.name};
    ASSIGN_OR_RETURN(auto doomed, txn.find<Sandbox>(key));
    if (!doomed || doomed->metadata.uid != session.metadata.uid) return {};
    const Result<bool> erased = erase_found(txn, call, *doomed, {});
    return erased.ok() ? Status() : Status(erased.error());
  }));
  return in_words_of_the_session(first.error());
}

// If the change moves the session's end, the reconciler is woken, since it ends sessions.
Status KindTraits<Sandbox>::save_update(Services& services, store::WriteTxn& txn, Sandbox& next,
                                        WallTime now) {
  ASSIGN_OR_RETURN(const Sandbox before,
                   txn.get<Sandbox>({next.metadata.name_space, next.metadata.name}));
  const bool resumed =
      before.spec.suspended.value_or(false) && !next.spec.suspended.value_or(false);
  if (resumed && next.status.ready_at) next.status.ready_at = wire::Timestamp{now};
  TRY(txn.update(next));
  TRY(sessions::tell_claim(txn, next));
  const bool same = before.spec.suspended == next.spec.suspended &&
                    before.status.expires_at == next.status.expires_at;
  if (same || next.status.phase == contracts::SandboxPhase::kEnded) return {};
  txn.touch(store::kSchedulerTopic);
  return sessions::note_use(txn, next, now, services.under_way->busy(next.metadata.uid, now));
}

Sandbox KindTraits<Sandbox>::stand_in(contracts::ObjectMeta meta, const store::ObjectHead& head) {
  Sandbox out = bare<Sandbox>(std::move(meta));
  out.status.node_name = head.node;
  out.status.phase =
      head.active ? contracts::SandboxPhase::kReady : contracts::SandboxPhase::kEnded;
  return out;
}

Status KindTraits<Sandbox>::prepare_delete(store::WriteTxn& txn, const Sandbox& session,
                                           WallTime now) {
  txn.touch(store::node_topic(session.status.node_name));
  txn.touch(store::kSchedulerTopic);  // a run may wait for its room
  return sessions::tell_claim_of_loss(txn, session, now);
}

Status KindTraits<Sandbox>::save_marked(store::WriteTxn& txn, Sandbox& session, WallTime now) {
  if (session.status.phase == contracts::SandboxPhase::kEnded) return txn.update(session);
  txn.touch(store::kSchedulerTopic);  // a run may wait for its room
  return sessions::close(txn, session, sessions::kDeleted, now);
}

// Once it is not in the store nobody reaches it; its node ends what runs and removes its files now,
// or when it hears that the session is no more.
Result<Response> destroy_session(Call& call, DeletionAnswer answer) {
  ASSIGN_OR_RETURN(const DeleteOptions wish, read_delete_options(call.request, call.body));
  const bool dry_run = wish.dry_run;
  Removal removal;
  Sandbox session;
  if (!dry_run)
    TRY(call.services.later->settle_freeing(call.services.store));  // what came before its end
  Status written = free_or_try(call.services.store, dry_run, [&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(removal, erase_object(txn, call, session, wish));
    return {};
  });
  if (!written.ok()) return std::move(written).error();
  if (removal.gone && !dry_run && session.status.phase == contracts::SandboxPhase::kReady) {
    calls::CallOptions options;
    options.node = session.status.node_name;
    options.kind = contracts::kSessionClose;
    options.payload = wire::encode(contracts::SessionName{session.metadata.uid});
    options.patience = kCloseTime;
    const auto closed =
        call.services.calls->call(std::move(options), call.services.clock, call.services.random);
    if (!closed.ok())
      log_info("a session was destroyed; its node could not be reached and removes it later",
               {{"why", closed.error().describe()}});
  }
  if (!removal.gone) KindTraits<Sandbox>::complete(call.services, session);
  return answer(session, wish, removal);
}

Result<Response> destroy_sandbox(Call& call) {
  return destroy_session(call, deletion_response<Sandbox>);
}

}  // namespace paddock::api

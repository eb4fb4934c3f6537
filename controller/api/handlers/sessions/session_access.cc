#include "controller/api/handlers/sessions/session_access.h"

#include "common/base/text.h"
#include "common/contracts/disk_end.h"
#include "common/contracts/node.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/calls/relay.h"
#include "controller/sessions/life.h"
#include "controller/sessions/under_way.h"

namespace paddock::api {
namespace {

using contracts::Sandbox;
using contracts::SandboxPhase;

constexpr Millis kOpenTime{20'000};  // a busy node may be silent for so long

store::Key key_of(const Sandbox& session) {
  return {session.metadata.name_space, session.metadata.name};
}

Result<contracts::SessionOrder> order_of(const Services& services, const Sandbox& session) {
  ASSIGN_OR_RETURN(const contracts::Profile profile, session_profile(services));
  contracts::SessionOrder order;
  order.uid = session.metadata.uid;
  order.policy = contracts::session_policy(session.spec.security, profile.policy);
  ASSIGN_OR_RETURN(order.environment,
                   contracts::command_environment(profile.environment, order.policy, false));
  order.workdir = profile.workdir;
  if (const auto& grace = session.spec.termination_grace) order.grace_ms = grace->value.count();
  return order;
}

// What a caller hears when the node could not serve the session. If the node has lost the session,
// or the node itself was removed, the files are gone with it, and the session's end is recorded.
Error explain_loss(Services& services, const Sandbox& session, Error error) {
  if (auto fault = told_fault(services, session, error)) return std::move(*fault);
  const bool lost =
      error.reason == contracts::kSessionLost || error.reason == contracts::kDiskRequestExceeded;
  const Reason why = lost ? error.reason : contracts::kSessionLost;
  if (!lost && error.reason != "NO_NODE") return error;
  TRY(services.later->settle_freeing(services.store));
  bool removed = false;
  const Status looked = services.store.write_freeing([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const Sandbox now, txn.get<Sandbox>(key_of(session)));
    TRY(sessions::check_lives(now));
    ASSIGN_OR_RETURN(const auto node, txn.find<contracts::Node>({"", session.status.node_name}));
    const bool same = now.metadata.uid == session.metadata.uid;
    removed = same && !node;
    if (same && (lost || !node)) return sessions::end(txn, now, why, services.clock.wall());
    return {};
  });
  if (!looked.ok()) return looked.error();
  if (!lost && !removed) return error;
  return sessions::ended_error(why);
}

}  // namespace

std::optional<Error> told_fault(const Services& services, const Sandbox& session,
                                const Error& error) {
  const bool may_be_its_own = is_one_of(error.reason, {"SYSTEM_ERROR", "SANDBOX_FAILED"}) ||
                              contracts::is_host_fault(error);
  if (!may_be_its_own) return std::nullopt;
  std::optional<Error> out;
  const Status read = services.store.read([&](store::ReadTxn& txn) -> Status {
    const std::string& name = session.status.node_name;
    ASSIGN_OR_RETURN(const auto node, txn.find<contracts::Node>({"", name}));
    const contracts::Condition* fault = node ? contracts::host_fault(node->status) : nullptr;
    if (fault != nullptr)
      out = Error{Code::kUnavailable, Reason::parse(fault->reason),
                  cat("the session's node ", name, " has a fault: ", fault->message)};
    return {};
  });
  return read.ok() ? out : std::nullopt;
}

Result<contracts::Profile> session_profile(const Services& services) {
  const auto found = services.profiles.find(std::string(contracts::kSessionProfile));
  if (found == services.profiles.end())
    return Error{Code::kInternal, "PROFILE_MISSING", "the profile session is not there"};
  return found->second;
}

Result<Sandbox> live_session(Call& call) {
  Sandbox session;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(session, txn.get<Sandbox>(call.key()));
    return {};
  }));
  TRY(sessions::check_lives(session));
  return session;
}

Result<std::string> read_session_body(Call& call, const Sandbox& session) {
  const int64_t most =
      session.spec.security.limits.rpc_bytes.value_or(contracts::session_defaults::kRpcBytes);
  auto body = call.request.body->read(static_cast<size_t>(most));
  if (body.ok() || body.error().code != Code::kTooLarge) return body;
  return Error{Code::kTooLarge, "E_LIMIT_RPC",
               cat("a request about this session may have at most its rpcBytes, ", most)};
}

Status open_session(Services& services, Sandbox& session, const auth::Principal& caller) {
  if (session.status.phase != SandboxPhase::kPending) return {};
  ASSIGN_OR_RETURN(const contracts::SessionOrder order, order_of(services, session));
  calls::CallOptions options;
  options.caller = caller.subject;
  options.name_space = caller.name_space;
  options.node = session.status.node_name;
  options.arrival_patience = services.node_patience;
  options.kind = contracts::kSessionOpen;
  options.payload = wire::encode(order);
  options.patience = options.queue_patience = kOpenTime;
  const auto opened = services.calls->call(std::move(options), services.clock, services.random);
  if (!opened.ok()) return explain_loss(services, session, opened.error());
  return services.store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(Sandbox now, txn.get<Sandbox>(key_of(session)));
    TRY(sessions::check_lives(now));
    if (now.metadata.uid == session.metadata.uid)
      TRY(sessions::note_ready(txn, now, services.clock.wall()));
    session = std::move(now);
    return {};
  });
}

Result<uint64_t> note_session(Services& services, const Sandbox& session,
                              std::vector<contracts::AuditEvent> events) {
  const auto note_use = [session, now = services.clock.wall(),
                         under_way = services.under_way](store::WriteTxn& txn) -> Status {
    // A session that was destroyed meanwhile has no deadline any more.
    ASSIGN_OR_RETURN(const auto found, txn.find<Sandbox>(key_of(session)));
    if (!found || found->metadata.uid != session.metadata.uid ||
        found->status.phase == SandboxPhase::kEnded)
      return {};
    // Its end may have been moved since the use began: what is stored decides.
    return sessions::note_use(txn, *found, now, under_way->busy(session.metadata.uid, now));
  };
  return services.later->add(services.store,
                             [record = WriteBehindQueue::audit(std::move(events)),
                              note_use](store::WriteTxn& txn) -> Status {
                               TRY(record(txn));
                               return note_use(txn);
                             });
}

Result<wire::Value> call_session(Services& services, const Sandbox& session,
                                 calls::CallOptions options) {
  options.node = session.status.node_name;
  options.arrival_patience = services.node_patience;
  auto answer = services.calls->call(std::move(options), services.clock, services.random);
  if (!answer.ok()) return explain_loss(services, session, answer.error());
  return answer;
}

}  // namespace paddock::api

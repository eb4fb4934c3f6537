#include "controller/sessions/life.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/disk_end.h"
#include "controller/agent_sandboxes/mapping.h"
#include "controller/runs/transitions.h"
#include "controller/sessions/claims.h"
#include "controller/sessions/node_trouble.h"

namespace paddock::sessions {
namespace {

using contracts::Sandbox;
using contracts::SandboxPhase;

std::string_view sentence_of(const Reason& reason) {
  if (reason == "IDLE_TIMEOUT") return "nothing was asked of it for longer than its idleTimeout";
  if (reason == "LIFETIME_OVER") return "it lived as long as its lifetime allows";
  if (reason == runs::kNodeDrained) return "its node was drained, and the grace of that is over";
  if (reason == kDeleted) return "it was deleted, and a finalizer keeps its record";
  if (reason == contracts::kDiskRequestExceeded)
    return "the disk of its node was full, and of all runs and sessions there it had taken most "
           "beyond its request; its files are gone: write less to its workspace, or use a run, "
           "which can ask for disk";
  if (reason == "SESSION_LOST") return "its node has lost it, with all its files";
  return "";
}

Millis idle_of(const Sandbox& session) {
  return session.spec.idle_timeout ? session.spec.idle_timeout->value
                                   : contracts::session_defaults::kIdleTimeout;
}

bool lifetime_is_over(const Sandbox& session, WallTime now) {
  return session.status.expires_at && session.status.expires_at->value <= now;
}

}  // namespace

WallTime due_after(const Sandbox& session, WallTime now, Millis busy) {
  constexpr Millis kOnItsWay{1'000};  // a use just before that may not be in the store yet
  if (session.spec.suspended.value_or(false) && session.status.expires_at)
    return session.status.expires_at->value;
  const WallTime idle_end = now + busy + idle_of(session) + kOnItsWay;
  return session.status.expires_at ? std::min(idle_end, session.status.expires_at->value)
                                   : idle_end;
}

Error ended_error(const Reason& reason) {
  return Error{Code::kGone, "SESSION_ENDED",
               cat("the session has ended: ", reason.text(), ", ", sentence_of(reason))};
}

Status check_lives(const Sandbox& session) {
  if (session.status.phase != SandboxPhase::kEnded) return {};
  return ended_error(Reason::parse(session.status.reason));
}

Status check_not_suspended(const Sandbox& session) {
  if (!session.spec.suspended.value_or(false)) return {};
  return Error{Code::kConflict, "SESSION_SUSPENDED",
               "the session is suspended: set spec.suspended to false first"};
}

Status note_ready(store::WriteTxn& txn, Sandbox& session, WallTime now) {
  if (session.status.phase != SandboxPhase::kPending) return {};
  session.status.phase = SandboxPhase::kReady;
  session.status.ready_at = wire::Timestamp{now};
  TRY(txn.update(session));
  return tell_claim(txn, session);
}

Status note_use(store::WriteTxn& txn, const Sandbox& session, WallTime now, Millis busy) {
  return txn.put_session_due(session.metadata.uid, due_after(session, now, busy).ms);
}

Status close(store::WriteTxn& txn, Sandbox& session, Reason reason, WallTime now) {
  session.status.phase = SandboxPhase::kEnded;
  session.status.reason = reason;
  session.status.message = sentence_of(reason);
  session.status.ended_at = wire::Timestamp{now};
  put_trouble(session, std::nullopt);
  TRY(txn.update(session));
  TRY(tell_claim(txn, session));
  TRY(txn.put_session_due(session.metadata.uid, (now + kKeptAfterEnd).ms));
  txn.touch(store::node_topic(session.status.node_name));
  return {};
}

Status end(store::WriteTxn& txn, Sandbox session, Reason reason, WallTime now) {
  TRY(close(txn, session, reason, now));
  contracts::AuditEvent event = command_event(session, "", now);
  event.type = contracts::audit::kSandboxDestroy;
  event.subject = "controller";
  event.reason = reason;
  return txn.append_audit(event);
}

Status sweep(store::WriteTxn& txn, const store::DueSession& due, WallTime now) {
  constexpr Millis kUnreadableAgain = std::chrono::minutes(10);
  const store::Key& key = due.key;
  ASSIGN_OR_RETURN(auto found, txn.find_readable<Sandbox>(key));
  if (!found) return txn.put_session_due(due.uid, (now + kUnreadableAgain).ms);
  Sandbox& session = *found;
  if (session.status.phase == SandboxPhase::kEnded) return txn.erase<Sandbox>(key);
  const Reason reason = lifetime_is_over(session, now) ? Reason("LIFETIME_OVER") : "IDLE_TIMEOUT";
  const bool goes =
      agent_sandboxes::goes_at_its_end(session) && session.metadata.finalizers.empty();
  TRY(end(txn, std::move(session), reason, now));
  return goes ? txn.erase<Sandbox>(key) : Status();
}

contracts::AuditEvent command_event(const Sandbox& session, const std::string& command_id,
                                    WallTime now) {
  contracts::AuditEvent event;
  event.time = {now};
  if (!session.status.node_name.empty()) event.subject = "node:" + session.status.node_name;
  event.name_space = session.metadata.name_space;
  event.object = "sandboxes/" + session.metadata.name;
  event.session_id = session.metadata.uid;
  if (!command_id.empty()) event.command_id = cat(session.metadata.uid, "/", command_id);
  return event;
}

}  // namespace paddock::sessions

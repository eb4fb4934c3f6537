#include "controller/sessions/open_commands.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "common/contracts/audit.h"
#include "common/contracts/run_exec.h"
#include "common/contracts/sandbox.h"

namespace paddock::sessions {
namespace {

namespace audit = contracts::audit;
using contracts::AuditEvent;

constexpr std::array kEnds = {audit::kCommandComplete, audit::kCommandTimeout,
                              audit::kCommandCancelled, audit::kCommandRefused,
                              audit::kCommandLost};
constexpr Millis kSlack = std::chrono::minutes(5);  // what is recorded late, and clocks

// No command of a session that lives, or in a run, was begun longer ago than this, before the last
// record.
Result<Millis> longest_command(store::WriteTxn& txn) {
  int64_t longest = contracts::run_exec::kMostTimeMs;
  ASSIGN_OR_RETURN(const auto keys, txn.living_sessions());
  for (const store::Key& key : keys) {
    ASSIGN_OR_RETURN(const auto session, txn.find_readable<contracts::Sandbox>(key));
    if (session) longest = std::max(longest, session->spec.security.limits.timeout_ms.value_or(0));
  }
  return Millis(longest);
}

// Whether a caller waited for this command: one in a session, or one executed in a run. The end of
// a run's own command is in the run's own events.
bool waited_for_its_caller(const AuditEvent& event) {
  return event.object.starts_with("sandboxes/") ||
         event.command_id.find("/exec/") != std::string::npos;
}

Result<std::map<std::string, AuditEvent>> open_since(store::WriteTxn& txn, int64_t since_ms) {
  store::AuditQuery query;
  query.since_ms = since_ms;
  query.after = 0;
  query.type = audit::kCommandStart;
  ASSIGN_OR_RETURN(const auto starts, txn.audit_events(query));
  std::map<std::string, AuditEvent> open;
  for (const AuditEvent& start : starts) {
    if (waited_for_its_caller(start)) open[start.command_id] = start;
  }
  for (const std::string_view type : kEnds) {
    query.type = type;
    ASSIGN_OR_RETURN(const auto ends, txn.audit_events(query));
    for (const AuditEvent& end : ends) {
      const auto begun = open.find(end.command_id);  // an id may have been used again
      if (begun != open.end() && begun->second.id < end.id) open.erase(begun);
    }
  }
  return open;
}

}  // namespace

Result<int64_t> end_open_commands(store::WriteTxn& txn, WallTime now) {
  store::AuditQuery newest;
  newest.limit = 1;
  ASSIGN_OR_RETURN(const auto last, txn.audit_events(newest));
  if (last.empty()) return int64_t{0};
  ASSIGN_OR_RETURN(const Millis longest, longest_command(txn));
  const WallTime since = last.front().time.value + -(longest + kSlack);
  ASSIGN_OR_RETURN(const auto open, open_since(txn, since.ms));
  for (const auto& [command, start] : open) {
    AuditEvent end = start;
    end.time = {now};
    end.type = audit::kCommandLost;
    end.reason = Reason("CONTROLLER_RESTARTED");
    end.details = {};
    TRY(txn.append_audit(end));
  }
  return static_cast<int64_t>(open.size());
}

}  // namespace paddock::sessions

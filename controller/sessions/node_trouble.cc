#include "controller/sessions/node_trouble.h"

#include "common/base/text.h"
#include "controller/sessions/claims.h"

namespace paddock::sessions {
namespace {

using contracts::Condition;

Condition trouble(std::string reason, std::string message) {
  return {contracts::kNodeTrouble, "True", std::move(reason), std::move(message), {}};
}

std::string reason_in(const Condition* told) { return told == nullptr ? "" : told->reason; }

}  // namespace

std::optional<Condition> trouble_of(const std::string& name, const contracts::Node* node) {
  // The session's next use records that it has ended.
  if (node == nullptr) return trouble("SESSION_LOST", cat("its node ", name, " was removed"));
  const contracts::NodeStatus& status = node->status;
  if (!status.ready)
    return trouble(
        status.reason.empty() ? std::string(contracts::kNodeLost.text()) : status.reason,
        cat("its node ", name, " is away, and no command reaches it; its files stay there",
            status.message.empty() ? "" : ": ", status.message));
  const Condition* fault = contracts::host_fault(status);
  if (fault == nullptr) return std::nullopt;
  Condition out = trouble(fault->reason, cat("its node ", name, " has a fault: ", fault->message));
  out.last_transition_time = fault->last_transition_time;
  return out;
}

void put_trouble(contracts::Sandbox& session, std::optional<Condition> trouble) {
  // Another reason is not another trouble: the time is that at which it began.
  if (const Condition* before = contracts::node_trouble(session.status); before && trouble)
    trouble->last_transition_time = before->last_transition_time;
  session.status.conditions.clear();
  if (trouble) session.status.conditions.push_back(std::move(*trouble));
}

Status tell_trouble(store::WriteTxn& txn, contracts::Sandbox session,
                    std::optional<Condition> trouble, WallTime now) {
  const Condition* before = contracts::node_trouble(session.status);
  if (reason_in(before) == reason_in(trouble ? &*trouble : nullptr)) return {};
  if (trouble && !trouble->last_transition_time)
    trouble->last_transition_time = wire::Timestamp{now};
  if (!trouble && session.status.ready_at) session.status.ready_at = wire::Timestamp{now};
  put_trouble(session, std::move(trouble));
  TRY(txn.update(session));
  return tell_claim(txn, session);
}

}  // namespace paddock::sessions

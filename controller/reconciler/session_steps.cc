#include <algorithm>
#include <map>

#include "controller/reconciler/steps.h"
#include "controller/runs/transitions.h"
#include "controller/sessions/life.h"
#include "controller/sessions/node_trouble.h"

namespace paddock::reconciler {
namespace {

// A command may be under way.
Status due_as_if_used(store::WriteTxn& txn, const contracts::Sandbox& session, WallTime now) {
  const Millis command(
      session.spec.security.limits.timeout_ms.value_or(contracts::session_defaults::kTimeoutMs));
  return txn.put_session_due(session.metadata.uid, sessions::due_after(session, now, command).ms);
}

}  // namespace

// The end of one that its caller named as a time of the calendar stays that, here and below.
Status put_off_sessions(store::WriteTxn& txn, WallTime now, Millis away) {
  if (away <= Millis(0)) return {};
  TRY(txn.put_off_sessions(away.count()));
  ASSIGN_OR_RETURN(const auto keys, txn.living_sessions());
  for (const store::Key& key : keys) {
    ASSIGN_OR_RETURN(auto session, txn.find_readable<contracts::Sandbox>(key));
    if (!session || !session->status.expires_at) continue;
    if (session->status.agent_sandbox) {
      TRY(due_as_if_used(txn, *session, now));
      continue;
    }
    session->status.expires_at->value = session->status.expires_at->value + away;
    TRY(txn.update(*session));
  }
  return {};
}

Status bring_sessions_nearer(store::WriteTxn& txn, WallTime now) {
  ASSIGN_OR_RETURN(const auto keys, txn.living_sessions());
  for (const store::Key& key : keys) {
    ASSIGN_OR_RETURN(auto found, txn.find_readable<contracts::Sandbox>(key));
    if (!found) continue;
    contracts::Sandbox& session = *found;
    const auto& lifetime = session.spec.lifetime;
    auto& end = session.status.expires_at;
    if (end && lifetime && !session.status.agent_sandbox && end->value > now + lifetime->value) {
      end->value = now + lifetime->value;
      TRY(txn.update(session));
    }
    TRY(due_as_if_used(txn, session, now));
  }
  return {};
}

Status sweep_sessions(store::WriteTxn& txn, WallTime now, TickReport& report) {
  constexpr int64_t kMostAtOnce = 200;
  constexpr Millis kNever = std::chrono::hours(1);
  constexpr Millis kAgain{5'000};  // a use that ends early brings the time nearer
  ASSIGN_OR_RETURN(const auto due, txn.sessions_due(now.ms, kMostAtOnce));
  for (const store::DueSession& each : due) TRY(sessions::sweep(txn, each, now));
  ASSIGN_OR_RETURN(const auto next, txn.next_session_due());
  report.next_session =
      next ? std::clamp<Millis>(Millis(*next - now.ms), Millis(0), kAgain) : kNever;
  return {};
}

Status end_sessions_on_drained_nodes(store::WriteTxn& txn, const ClusterCache& cache,
                                     WallTime now) {
  for (const auto& [node, evict_at] : cache.drains()) {
    if (now < evict_at) continue;
    ASSIGN_OR_RETURN(const auto keys, txn.session_keys_on(node));
    for (const store::Key& key : keys) {
      ASSIGN_OR_RETURN(auto session, txn.find_readable<contracts::Sandbox>(key));
      if (session) TRY(sessions::end(txn, std::move(*session), runs::kNodeDrained, now));
    }
  }
  return {};
}

Status tell_of_nodes(store::WriteTxn& txn, const ClusterCache& cache, WallTime now,
                     TickReport& report) {
  constexpr size_t kMostAtOnce = 50;  // their claims are read one by one
  const std::set<SessionTroubles::Name>& untold = cache.troubles().untold();
  std::vector<store::NewObject> due;
  for (const auto& [space, name] : untold) {
    if (due.size() == kMostAtOnce) break;
    due.push_back({contracts::Sandbox::kKind, {space, name}});
  }
  if (due.empty()) return {};
  TRY(txn.expect_objects(due));
  std::map<std::string, std::optional<contracts::Node>> nodes;
  for (const store::NewObject& each : due) {
    ASSIGN_OR_RETURN(auto session, txn.find_readable<contracts::Sandbox>(each.key));
    if (!session) continue;
    const std::string name = session->status.node_name;
    const auto [node, is_new] = nodes.try_emplace(name);
    if (is_new) {
      ASSIGN_OR_RETURN(node->second, txn.find<contracts::Node>({"", name}));
    }
    auto trouble = sessions::trouble_of(name, node->second ? &*node->second : nullptr);
    TRY(sessions::tell_trouble(txn, std::move(*session), std::move(trouble), now));
  }
  report.more = report.more || untold.size() > due.size();
  return {};
}

}  // namespace paddock::reconciler

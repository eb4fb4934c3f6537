#include "controller/nodes/synchronize.h"

#include <algorithm>
#include <utility>

#include "common/base/crash_point.h"
#include "controller/nodes/assignments.h"
#include "controller/nodes/reports.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::nodes {

namespace {

// Most calls tell nothing that is not stored: then the object is not even made into text.
bool tells_news(const contracts::Node& node, const contracts::SyncRequest& request) {
  const contracts::NodeStatus& status = node.status;
  const bool settled = status.ready && status.reason.empty() && status.message.empty();
  const bool same_labels = request.labels.empty() || request.labels == node.metadata.labels;
  return request.status || !same_labels || !settled || request.leaving;
}

// A heartbeat alone is not written down; lastSeen moves when something else does.
Status store_status(store::WriteTxn& txn, contracts::Node node,
                    const contracts::SyncRequest& request, WallTime now) {
  const std::string before = node.metadata.resource_version;
  const auto last_seen = node.status.last_seen;
  const auto cool_down = node.status.cool_down;
  if (request.status) node.status = *request.status;
  if (!request.labels.empty()) node.metadata.labels = request.labels;
  node.status.ready = true;
  node.status.reason.clear();
  node.status.message.clear();
  node.status.last_seen = last_seen;
  node.status.cool_down = cool_down;
  TRY(txn.update(node));
  if (node.metadata.resource_version == before) return {};
  node.status.last_seen = wire::Timestamp{now};
  txn.touch(store::kSchedulerTopic);
  return txn.update(node);
}

// For a node whose agent ends: it gets nothing new from now on, and runs that it has not begun are
// placed elsewhere at once. Runs that it has begun go on without the agent, for as long as its
// lease lasts.
Status take_leave(store::WriteTxn& txn, const std::string& name,
                  const contracts::SyncRequest& request, WallTime now) {
  ASSIGN_OR_RETURN(auto node, txn.get<contracts::Node>({"", name}));
  node.status.ready = false;
  node.status.reason = contracts::kAgentStopped;
  node.status.message =
      "its agent was stopped; runs that it has begun go on, and it reports them "
      "when it is started again in time";
  TRY(txn.update(node));
  txn.touch(store::kSchedulerTopic);
  ASSIGN_OR_RETURN(std::vector<contracts::Run> placed, txn.active_runs_on(name));
  for (contracts::Run& run : placed) {
    const bool begun = std::ranges::any_of(request.runs, [&](const contracts::RunReport& each) {
      return each.run_uid == run.metadata.uid && each.attempt == run.status.attempt;
    });
    if (begun) continue;
    runs::Events events = runs::release(run, "its agent was stopped", now);
    if (!events.empty()) TRY(store::save_run(txn, run, std::move(events)));
  }
  return {};
}

// Renews the lease and stores what the call reports. If the call reported nothing new, it returns
// facts to remember once this is committed: an equal call after it does not read the node at all.
Result<std::optional<LeaseTable::StoredState>> hear(store::WriteTxn& txn, LeaseTable& leases,
                                                    const std::string& name,
                                                    const contracts::SyncRequest& request,
                                                    Now now) {
  const store::Key key{"", name};
  ASSIGN_OR_RETURN(const auto version, txn.version_of(contracts::Node::kKind, key));
  if (!version)
    return Error{Code::kNotFound, "NODE_NOT_FOUND", "this node is not enrolled any more"};
  TRY(leases.renew(name, request.process, request.generation, now));
  const LeaseTable::StoredState said{*version, request.labels};
  std::optional<LeaseTable::StoredState> nothing_more;
  if (!request.status && !request.leaving && leases.knows(name, said)) return nothing_more;
  ASSIGN_OR_RETURN(auto node, txn.get<contracts::Node>(key));
  if (!tells_news(node, request)) return std::optional(said);
  TRY(store_status(txn, std::move(node), request, now.wall));
  return nothing_more;
}

// Whether a run is at its end, or is to be: then the rest of what it printed is all there will be.
Result<bool> ends(store::ReadTxn& txn, const contracts::RunReport& report) {
  if (report.outcome || report.output.empty()) return true;
  ASSIGN_OR_RETURN(const auto run, txn.look_at_run(report.run_uid));
  return run && run->spec.cancel_requested;
}

// Drops the output from a report; the node sends it again.
contracts::RunReport without_output(contracts::RunReport report) {
  report.output.clear();
  return report;
}

std::vector<std::string> named_in(const contracts::SyncRequest& request) {
  std::vector<std::string> uids;
  for (const contracts::RunReport& report : request.runs) uids.push_back(report.run_uid);
  return uids;
}

// Whether output or an end was not stored because of a disk. The node need not send it again at
// once.
bool was_put_off(const contracts::SyncRequest& request, const contracts::SyncAnswer& answer) {
  return std::ranges::any_of(request.runs, [&](const contracts::RunReport& report) {
    const auto told =
        std::ranges::find(answer.runs, report.run_uid, &contracts::Assignment::run_uid);
    if (told == answer.runs.end() || told->attempt != report.attempt) return false;
    return report.outcome ||
           (!report.output.empty() && told->output_acked < report.output.back().seq);
  });
}

}  // namespace

Result<contracts::SyncAnswer> synchronize(store::Store& store, LeaseTable& leases,
                                          const std::string& node,
                                          const contracts::SyncRequest& request, Now now,
                                          const volumes::Publishing& publishing,
                                          DeviceTimes* held) {
  contracts::SyncAnswer answer;
  std::optional<LeaseTable::StoredState> known;
  DeviceTimes times;
  const auto exchange = [&](store::WriteTxn& txn, bool full) -> Status {
    times.clear();
    ASSIGN_OR_RETURN(known, hear(txn, leases, node, request, now));
    TRY(txn.expect_runs(named_in(request)));
    for (const contracts::RunReport& report : request.runs) {
      ASSIGN_OR_RETURN(const bool whole, full ? ends(txn, report) : Result<bool>(true));
      TRY(whole ? apply_report(txn, node, report, publishing, now.wall, times)
                : apply_report(txn, node, without_output(report), publishing, now.wall, times));
    }
    if (request.leaving.value_or(false)) TRY(take_leave(txn, node, request, now.wall));
    ASSIGN_OR_RETURN(answer.runs, assignments_for(txn, node));
    ASSIGN_OR_RETURN(answer.sessions, txn.sessions_on(node));
    return {};
  };
  Status written = store.write([&](store::WriteTxn& txn) { return exchange(txn, false); });
  if (store::is_full(written))
    written = store.write_freeing([&](store::WriteTxn& txn) { return exchange(txn, true); },
                                  store::Frees::kRuns);
  if (!written.ok()) return std::move(written).error();
  if (held != nullptr) *held = std::move(times);
  if (known) leases.know(node, std::move(*known));
  PADDOCK_CRASH_POINT("reports-stored");
  answer.version = version_of(answer.runs, *answer.sessions);
  spare_code(answer.runs, request.runs);
  answer.lease_ms = leases.times().lease.count();
  return answer;
}

Result<std::string> desired_version(store::Store& store, const std::string& node) {
  std::string version;
  Status seen = store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(version, version_for(txn, node));
    return {};
  });
  if (!seen.ok()) return std::move(seen).error();
  return version;
}

Millis hold_for(const contracts::SyncRequest& request, const contracts::SyncAnswer& answer,
                Millis lease) {
  const Millis longest = std::min(kMaxHold, lease / 2);
  if (was_put_off(request, answer)) return std::min(kHoldWhileFull, longest);
  const bool awaits_answer =
      request.status || std::any_of(request.runs.begin(), request.runs.end(), [](const auto& run) {
        return !run.output.empty() || run.outcome;
      });
  if (awaits_answer || request.leaving || request.known_version != answer.version) return Millis(0);
  return std::min(Millis(request.wait_ms), longest);
}

}  // namespace paddock::nodes

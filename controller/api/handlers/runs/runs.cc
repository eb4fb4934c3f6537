#include "controller/api/handlers/runs/runs.h"

#include <algorithm>
#include <iterator>

#include "controller/admission/admit.h"
#include "controller/api/handlers/runs/arrays.h"
#include "controller/api/handlers/runs/run_admission.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/handlers/runs/tool_bundles.h"
#include "controller/api/objects/deletes.h"
#include "controller/api/server/documents.h"
#include "controller/reconciler/reconciler.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::api {
namespace {

using contracts::Run;

Status mark_cancelled(store::WriteTxn& txn, const Call& call, bool at_once, Run& run) {
  ASSIGN_OR_RETURN(run, txn.get<Run>(call.key()));
  runs::Events events = runs::request_cancel(run, call.now());
  if (at_once) std::ranges::move(runs::kill_now(run, call.now()), std::back_inserter(events));
  const bool news = !events.empty();
  TRY(store::save_run(txn, run, std::move(events)));
  return news ? record(txn, call, contracts::audit::kRunCancel, "runs", run.metadata) : Status();
}

}  // namespace

Status admit_run(Services& services, Run& run, const contracts::MediaExecution& media) {
  return services.store.read(
      [&](store::ReadTxn& txn) { return RunAdmission(services, txn).admit(run, media); });
}

Status admit_planned(Services& services, Run& run, const contracts::Tree* files) {
  TRY(services.store.read([&](store::ReadTxn& txn) {
    RunAdmission admission(services, txn);
    admission.expect_files(files);
    return admission.admit(run, admission::wanted_media(run.spec));
  }));
  return services.reconciler.check_bounds(run);
}

Status KindTraits<Run>::check_maker(const auth::Principal& maker, const Run& run) {
  if (run.spec.secrets.empty()) return {};
  const Status allowed =
      auth::authorize(maker, auth::Scope::kSecretsUse, run.metadata.name_space, {});
  if (allowed.ok()) return {};
  Error error = allowed.error();
  error.causes = {{"spec.secrets", error.message}};
  return error;
}

Status KindTraits<Run>::prepare_new(Services& services, Run& run) {
  TRY(admit_run(services, run, admission::wanted_media(run.spec)));
  show_summary_only(run);
  return services.reconciler.check_bounds(run);
}

Result<reconciler::QueueReservation> KindTraits<Run>::reserve_queue(Services& services,
                                                                    const Run& run) {
  return services.reconciler.reserve_places(
      run.metadata.name_space, {{run.metadata.uid, reconciler::queue_places(run.spec)}});
}

Status KindTraits<Run>::save_new(Services&, store::WriteTxn& txn, Run& run, WallTime now) {
  TRY(check_own_name(txn, run));
  runs::Events events = runs::admit(run, now);
  const auto bundle = std::exchange(run.spec.tool_bundle, std::nullopt);
  TRY(store::create_run(txn, run, std::move(events)));
  return bundle ? keep_bundle(txn, run, *bundle) : Status();
}

Status KindTraits<Run>::prepare_delete(store::WriteTxn& txn, const Run& run, WallTime) {
  txn.touch(store::run_topic(run.metadata.uid));
  return {};
}

namespace {
constexpr Reason kUnread = "STORE_DATA_INVALID";
}

Run KindTraits<Run>::stand_in(contracts::ObjectMeta meta, const store::ObjectHead&) {
  Run out = bare<Run>(std::move(meta));
  out.status.phase = contracts::RunPhase::kFailed;
  out.status.reason = kUnread;
  return out;
}

namespace {

int64_t own_grace(const Run& run) {
  return (run.spec.termination_grace.value_or(wire::Wait{}).value.count() + 999) / 1000;
}

// The grace that the run gets: its own, or less if the deletion asks for less.
int64_t grace_of(const Run& run, const DeleteOptions& options) {
  if (options.at_once()) return 0;
  return std::min(own_grace(run), options.grace_seconds.value_or(own_grace(run)));
}

// Asked again, it only gets less; it counts from the first time on, as in Kubernetes.
void mark_deleted(Run& run, const DeleteOptions& options, WallTime now) {
  const int64_t grace = grace_of(run, options);
  if (k8s::mark_deleted(run.metadata, grace, now)) return;
  std::optional<int64_t>& left = run.metadata.deletion_grace_period_seconds;
  left = std::min(left.value_or(0), grace);
}

// Asks the node to end the run, unless that was asked before, and more quickly if the deletion says
// so.
runs::Events end_for_deletion(Run& run, const DeleteOptions& options, WallTime now) {
  runs::Events events = runs::request_cancel(run, now);
  if (options.by_force()) {
    std::ranges::move(runs::abandon(run, now), std::back_inserter(events));
  } else if (options.at_once()) {
    std::ranges::move(runs::kill_now(run, now), std::back_inserter(events));
  }
  return events;
}

}  // namespace

Result<bool> KindTraits<Run>::remove(store::WriteTxn& txn, const Call& call, Run& run,
                                     const DeleteOptions& options) {
  const std::string node = run.status.node_name;
  if (store::holds_nothing(run)) {
    TRY(prepare_delete(txn, run, call.now()));
    TRY(store::erase_run(txn, run));
    return true;
  }
  const bool cancels = !contracts::is_terminal(run.status.phase) && !run.spec.cancel_requested;
  mark_deleted(run, options, call.now());
  TRY(store::save_run(txn, run, end_for_deletion(run, options, call.now())));
  if (cancels) TRY(record(txn, call, contracts::audit::kRunCancel, "runs", run.metadata));
  if (!node.empty()) txn.touch(store::node_topic(node));
  if (runs::killed_by_deletion(run)) txn.touch(store::kSchedulerTopic);
  return store::holds_nothing(run);
}

std::vector<std::string> KindTraits<Run>::deletion_warnings(const Run& run,
                                                            const DeleteOptions& options) {
  if (run.status.reason == runs::kForceDeleted)
    return {
        "deleted by force: the record is gone before the node said that the run has ended; the "
        "node ends it when it hears of this"};
  // The number of its elements was in the part that cannot be read.
  if (run.status.reason == kUnread)
    return {cat("if it was an array or a gang, the runs that it made go on and stay: the selector ",
                contracts::kArrayLabel, "=", run.metadata.name, " deletes them")};
  const int64_t got = run.metadata.deletion_grace_period_seconds.value_or(0);
  const bool waits = run.metadata.deletion_timestamp && !contracts::is_terminal(run.status.phase);
  if (!waits || options.grace_seconds.value_or(0) <= std::max<int64_t>(got, 1)) return {};
  return {cat("a grace of ", *options.grace_seconds, " s was asked for, and the run has ", got,
              " s: a deletion shortens spec.terminationGrace, and never lengthens it")};
}

Result<Response> cancel_run(Call& call) {
  contracts::CancelRequest request;
  if (!call.body.is_null()) {
    ASSIGN_OR_RETURN(request, decode_body<contracts::CancelRequest>(call.body));
  }
  Run run;
  TRY(call.services.store.write_freeing(
      [&](store::WriteTxn& txn) { return mark_cancelled(txn, call, request.now, run); }));
  return object_response(run);
}

}  // namespace paddock::api

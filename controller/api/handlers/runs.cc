#include "controller/api/handlers/runs.h"

#include <algorithm>
#include <iterator>

#include "controller/admission/admit.h"
#include "controller/api/handlers/creates.h"
#include "controller/api/handlers/run_admission.h"
#include "controller/api/handlers/tool_bundles.h"
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

// Who may make runs alone may not have those given what others have kept in the namespace.
Status check_maker(const auth::Principal& maker, const Run& run) {
  if (run.spec.secrets.empty()) return {};
  const Status allowed =
      auth::authorize(maker, auth::Scope::kSecretsUse, run.metadata.name_space, {});
  if (allowed.ok()) return {};
  Error error = allowed.error();
  error.causes = {{"spec.secrets", error.message}};
  return error;
}

Status prepare_new(Services& services, Run& run) {
  TRY(admit_run(services, run, admission::wanted_media(run.spec)));
  show_summary_only(run);
  return services.reconciler.check_bounds(run);
}

Result<reconciler::QueueRoom> take_room(Services& services, const Run& run) {
  return services.reconciler.take_room(run.metadata.name_space, {run.metadata.uid});
}

Status save_new(store::WriteTxn& txn, Run& run, WallTime now) {
  runs::Events events = runs::admit(run, now);
  const auto bundle = std::exchange(run.spec.tool_bundle, std::nullopt);
  TRY(store::create_run(txn, run, std::move(events)));
  return bundle ? keep_bundle(txn, run, *bundle) : Status();
}

Status prepare_delete(store::WriteTxn& txn, const Run& run, WallTime) {
  if (!contracts::is_terminal(run.status.phase)) {
    const std::string message =
        cat("run ", run.metadata.name, " has not ended (", wire::enum_name(run.status.phase),
            "); cancel it first, by POST to its cancel or a patch that sets spec.cancelRequested, "
            "and delete it when it has ended");
    return Error{Code::kConflict, "RUN_ACTIVE", message, {{"status.phase", message}}};
  }
  txn.touch(store::run_topic(run.metadata.uid));
  return {};
}

Result<Response> cancel_run(Call& call) {
  contracts::CancelRequest request;
  if (!call.body.is_null()) {
    ASSIGN_OR_RETURN(request, wire::decode<contracts::CancelRequest>(call.body));
  }
  Run run;
  TRY(call.services.store.write(
      [&](store::WriteTxn& txn) { return mark_cancelled(txn, call, request.now, run); }));
  return object_response(run);
}

}  // namespace paddock::api

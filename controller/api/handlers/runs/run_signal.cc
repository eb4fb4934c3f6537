#include "controller/api/handlers/runs/run_signal.h"

#include "common/base/text.h"
#include "common/contracts/run_signal.h"
#include "controller/api/handlers/runs/arrays.h"
#include "controller/api/handlers/runs/run_files.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"
#include "controller/calls/relay.h"

namespace paddock::api {
namespace {

using contracts::Run;

constexpr Millis kSignalTime{20'000};

Status check_runs(const Run& run) {
  TRY(refuse_array(run, "command"));
  if (run.status.phase == contracts::RunPhase::kRunning) return {};
  return Error{Code::kFailedPrecondition, "RUN_NOT_RUNNING",
               cat("the run is ", wire::enum_name(run.status.phase),
                   contracts::is_terminal(run.status.phase)
                       ? ": its command has ended, and hears no signal"
                       : ": its command has not begun, and hears no signal yet")};
}

Error told_of_signals(Error error) {
  if (error.reason != "CALL_UNKNOWN") return error;
  return {Code::kFailedPrecondition, "RUN_EXEC_UNSUPPORTED",
          "the agent of the run's node is of an earlier release, which passes no signals on: "
          "upgrade it to this controller's release"};
}

}  // namespace

Result<Response> signal_run(Call& call) {
  ASSIGN_OR_RETURN(const Run run, stored_run(call));
  TRY(check_runs(run));
  ASSIGN_OR_RETURN(const auto request, decode_body<contracts::SignalRequest>(call.body));
  const std::string signal(wire::enum_name(request.signal));
  TRY(call.services.store.write([&](store::WriteTxn& txn) {
    return record(txn, call, contracts::audit::kRunSignal, "runs", run.metadata,
                  {{"signal", signal}});
  }));
  calls::CallOptions options;
  options.caller = call.principal.subject;
  options.name_space = call.principal.name_space;
  options.node = run.status.node_name;
  options.arrival_patience = call.services.node_patience;
  options.kind = contracts::kRunSignal;
  options.payload = wire::encode(contracts::SignalOrder{run.metadata.uid, request.signal});
  options.patience = kSignalTime;
  options.client = call.request.client;
  const auto answer =
      call.services.calls->call(std::move(options), call.services.clock, call.services.random);
  if (!answer.ok()) return told_of_signals(answer.error());
  return json_response(wire::Value::Object{{"run", run.metadata.name}, {"signal", signal}});
}

}  // namespace paddock::api

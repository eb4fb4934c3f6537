#include "controller/api/handlers/runs/run_signal.h"

#include "common/base/text.h"
#include "common/contracts/run_signal.h"
#include "controller/api/handlers/runs/arrays.h"
#include "controller/api/handlers/runs/run_call.h"
#include "controller/api/handlers/runs/run_files.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"

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
  const auto answer = ask_agent_of(
      call, run,
      {.kind = contracts::kRunSignal,
       .payload = wire::encode(contracts::SignalOrder{run.metadata.uid, request.signal}),
       .patience = kSignalTime});
  if (!answer.ok()) return told_of_signals(answer.error());
  return json_response(wire::Value::Object{{"run", run.metadata.name}, {"signal", signal}});
}

}  // namespace paddock::api

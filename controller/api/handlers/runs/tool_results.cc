#include "controller/api/handlers/runs/tool_results.h"

#include <algorithm>

#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"
#include "controller/store/run_writes.h"

namespace paddock::api {
namespace {

using contracts::PendingToolUse;
using contracts::Run;
using contracts::ToolResult;

Error refused(Code code, Reason reason, const char* message, const char* why) {
  Error error{code, reason, message};
  error.facts.emplace_back("reason", why);
  return error;
}

Status check_taker(const Run& run, const ToolResult& result) {
  if (result.run_id && *result.run_id != run.metadata.name && *result.run_id != run.metadata.uid)
    return refused(Code::kInvalidArgument, "BAD_REQUEST", "runId must match the path run id",
                   "run_id_mismatch");
  if (run.spec.type != contracts::RunType::kAgent)
    return refused(Code::kInvalidArgument, "BAD_REQUEST",
                   "run does not support interactive tool results", "not_interactive");
  if (contracts::is_terminal(run.status.phase))
    return refused(Code::kGone, "GONE", "the run has ended", "run_terminal");
  if (run.status.phase == contracts::RunPhase::kPending && run.status.attempt > 0)
    return refused(
        Code::kGone, "GONE",
        "the attempt that asked is over, and the run waits for the next one: answer what "
        "that one asks, once it is in status.pendingToolUses",
        "attempt_over");
  if (run.status.stdin_closed.value_or(false))
    return refused(Code::kGone, "GONE", "the run takes no input any more", "stdin_closed");
  return {};
}

// Turns the pending tool use into an input. Looking and writing are one transaction, so that of two
// answers only one is taken.
Status take_answer(store::WriteTxn& txn, const Call& call, const ToolResult& result) {
  ASSIGN_OR_RETURN(Run run, txn.get<Run>(call.key()));
  TRY(check_taker(run, result));
  auto& pending = run.status.pending_tool_uses;
  const auto found = std::ranges::find(pending, result.tool_use_id, &PendingToolUse::id);
  if (found == pending.end())
    return refused(Code::kInvalidArgument, "BAD_REQUEST", "toolUseId is invalid",
                   "bad_tool_use_id");
  pending.erase(found);
  contracts::RunInput input{0, contracts::tool_result_line(result)};
  TRY(txn.append_input(run.metadata.uid, run.status.attempt, result.tool_use_id, input));
  TRY(store::save_run(txn, run, {}));  // wakes its node
  return record(txn, call, contracts::audit::kToolResult, "runs", run.metadata,
                {{"toolUseId", contracts::audit_text(result.tool_use_id)},
                 {"isError", result.is_error ? "true" : "false"}});
}

}  // namespace

Result<Response> answer_tool(Call& call) {
  ASSIGN_OR_RETURN(const ToolResult result, contracts::decode_tool_result(call.body));
  TRY(call.services.store.write(
      [&](store::WriteTxn& txn) { return take_answer(txn, call, result); }));
  return json_response(wire::Value::Object{{"ok", true}});
}

}  // namespace paddock::api

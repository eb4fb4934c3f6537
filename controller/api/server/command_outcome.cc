#include "controller/api/server/command_outcome.h"

#include <string>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/audit.h"
#include "common/wire/describe.h"
#include "controller/calls/call_errors.h"

namespace paddock::api {

using contracts::RunResult;
using contracts::SandboxResult;
using contracts::SandboxStatus;

namespace {

Result<SandboxResult> result_in(const wire::Value& answer) {
  std::vector<std::string> unknown;  // of a node that is newer than we are
  auto result = wire::decode<SandboxResult>(answer, unknown);
  if (result.ok()) return result;
  return calls::not_understood();
}

Result<RunResult> told_to_caller(SandboxResult result, const std::string& command_id) {
  constexpr Reason kNoAnswer = "NO_ANSWER";
  if (result.code == kNoAnswer) return Error{Code::kDeadlineExceeded, kNoAnswer, result.reason};
  if (result.status == SandboxStatus::kInternalError)
    return Error{Code::kFailedPrecondition, "SANDBOX_FAILED", result.reason};
  return contracts::run_result(std::move(result), command_id);
}

RunResult canceled_before_start(const std::string& command_id) {
  SandboxResult result;
  result.status = SandboxStatus::kCanceled;
  result.reason = "canceled before it began";
  contracts::apply_status_table(result);
  return contracts::run_result(std::move(result), command_id);
}

}  // namespace

Result<RunResult> conclude_command(const Result<wire::Value>& answer, const std::string& command_id,
                                   const EndRecord& record) {
  auto result = answer.ok() ? result_in(*answer) : Result<SandboxResult>(answer.error());
  if (result.ok()) {
    TRY(record.ended(*result));
    return told_to_caller(std::move(*result), command_id);
  }
  TRY(record.lost(result.error()));
  if (result.error().reason == "CALL_CANCELED") return canceled_before_start(command_id);
  return result.error();
}

void name_time(RunResult& result, std::string_view which) {
  if (result.error_class == "TIMEOUT") result.reason += cat("; ", which);
}

Error explain_command(const Error& error, std::string_view where) {
  if (error.reason != "CALL_EXISTS") return error;
  return {Code::kAlreadyExists, "COMMAND_EXISTS",
          cat("a command with this commandId is under way in this ", where)};
}

Error unrecorded(const Error& why) {
  return {why.code, why.reason,
          "the command's beginning could not be recorded, so it was ended; it may have done a part "
          "of its work"};
}

Error told_in_stream(const Error& error) {
  if (error.code != Code::kInternal && error.reason != "SYSTEM_ERROR") return error;
  log_error("a command failed", {{"error", error.describe()}});
  return {error.code, error.reason, "the server failed; its log has more"};
}

std::string_view event_without_result(const Error& error, std::initializer_list<Reason> refused) {
  if (is_one_of(error.reason, {"CALL_CANCELED", "CALLER_GONE"}))
    return contracts::audit::kCommandCancelled;
  return is_one_of(error.reason, refused) ? contracts::audit::kCommandRefused
                                          : contracts::audit::kCommandLost;
}

}  // namespace paddock::api

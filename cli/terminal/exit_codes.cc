#include "cli/terminal/exit_codes.h"

namespace paddock::cli {
namespace {

static_assert(reasons::kConnectionLost == kExitConnectionLost && reasons::kDenied == kExitDenied);

// A file or folder here that its user may not use: no policy has said no.
bool is_refusal_by_this_host(const Error& error) {
  return error.reason == "SYSTEM_ERROR" && error.code == Code::kPermissionDenied;
}

int as_exit_code(int64_t rc) { return rc < 0 || rc > 255 ? kExitFailure : static_cast<int>(rc); }

}  // namespace

int exit_code_of(const Error& error, bool starting) {
  // Refusals of a command by the admission rules: the input is well formed, the policy says no.
  if (const auto* row = error.reason.row(); row != nullptr && row->exit != 0) return row->exit;
  if (is_refusal_by_this_host(error)) return starting ? kExitNotStarted : kExitFailure;
  switch (error.code) {
    case Code::kInvalidArgument:
      return kExitUsage;
    case Code::kNotFound:
      return kExitNotFound;
    case Code::kUnauthenticated:
      return kExitDenied;
    case Code::kDeadlineExceeded:
      return kExitTimeout;
    case Code::kPermissionDenied:
      return kExitDenied;
    case Code::kAlreadyExists:  // whatever was to be made was not, by whichever command
      return kExitNotStarted;
    case Code::kConflict:
    case Code::kGone:
    case Code::kTooLarge:
    case Code::kResourceExhausted:
    case Code::kFailedPrecondition:
    case Code::kUnavailable:
    case Code::kInternal:
      break;
  }
  return starting ? kExitNotStarted : kExitFailure;
}

int exit_code_of(const contracts::SandboxResult& result) {
  if (result.status == contracts::SandboxStatus::kInternalError) return kExitNotStarted;
  if (result.status == contracts::SandboxStatus::kOk) return kExitOk;
  const int rc = as_exit_code(result.rc);
  return rc == 0 ? kExitFailure : rc;
}

int exit_code_of(const contracts::Run& run) {
  const contracts::RunStatus& status = run.status;
  const bool succeeded = status.phase == contracts::RunPhase::kSucceeded;
  if (succeeded) return kExitOk;
  if (status.result) {
    const int rc = exit_code_of(*status.result);
    return rc == kExitOk ? kExitFailure : rc;  // e.g. the command succeeded, its artifacts failed
  }
  if (status.phase == contracts::RunPhase::kCanceled) return 143;
  if (status.array && status.array->first_failure) {
    const int rc = as_exit_code(status.array->first_failure->rc.value_or(kExitFailure));
    return rc == kExitOk ? kExitFailure : rc;
  }
  return status.started_at ? kExitFailure : kExitNotStarted;
}

}  // namespace paddock::cli

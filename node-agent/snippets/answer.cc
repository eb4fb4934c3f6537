#include "node-agent/snippets/answer.h"

#include "common/base/text.h"

namespace paddock::snippets {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;

// Null: the program's own words say it.
wire::Value error_of(const SandboxResult& result) {
  switch (result.status) {
    case SandboxStatus::kOk:
    case SandboxStatus::kFailed:
      return {};
    case SandboxStatus::kTimeout:
      return contracts::kTimedOut;
    case SandboxStatus::kCpuLimit:
      return "Execution exceeded its CPU time";
    case SandboxStatus::kMemLimit:
      return "Execution exceeded its memory";
    case SandboxStatus::kKilledTerm:
    case SandboxStatus::kKilledKill:
      return "Execution was ended by a signal";
    case SandboxStatus::kCanceled:
      return "Execution was canceled";
    case SandboxStatus::kForbiddenSyscall:
      return cat("Execution made a forbidden system call: ", result.reason);
    case SandboxStatus::kLimitExceeded:
      return cat("Execution exceeded a limit: ", result.reason);
    case SandboxStatus::kInternalError:
      return cat("Internal error: ", result.reason);
  }
  return "Internal error";
}

// Whether a program of the caller's came to an end of its own making.
bool ended_itself(SandboxStatus status) {
  return status == SandboxStatus::kOk || status == SandboxStatus::kFailed ||
         status == SandboxStatus::kKilledTerm || status == SandboxStatus::kKilledKill;
}

}  // namespace

contracts::ExecuteAnswer answer_of(SandboxResult result) {
  contracts::ExecuteAnswer out;
  out.success = result.status == SandboxStatus::kOk;
  out.error = error_of(result);
  out.exit_code = ended_itself(result.status) ? result.rc : contracts::kNoExitCode;
  out.out = std::move(result.out);
  out.err = std::move(result.err);
  return out;
}

contracts::SnippetReport report_of(SandboxResult result, bool warm) {
  contracts::SnippetReport out;
  out.warm = warm;
  SandboxResult& facts = out.result.emplace();
  facts.status = result.status;
  facts.rc = result.rc;
  facts.error_class = result.error_class;
  facts.code = result.code;
  facts.truncated = result.truncated;
  facts.duration_ms = result.duration_ms;
  facts.denials = std::move(result.denials);
  out.answer = answer_of(std::move(result));
  return out;
}

}  // namespace paddock::snippets

#include "common/contracts/sandbox_refusal.h"

#include "common/base/text.h"

namespace paddock::contracts {

constexpr Reason kSetupFailed = "SANDBOX_SETUP_FAILED";

void tell_not_started(const Error& error, SandboxResult& result) {
  const std::string field = error.causes.empty() ? std::string() : error.causes.front().field;
  result.status = SandboxStatus::kInternalError;
  result.rc = 1;
  result.reason = cat(error.reason, ": ", field, field.empty() ? "" : ": ", error.message);
  result.not_started = NotStarted{error.reason, field, error.message};
}

std::optional<Error> refusal_of(const SandboxResult& result) {
  const auto& why = result.not_started;
  if (!why || why->reason == kSetupFailed) return std::nullopt;
  Error out{Code::kFailedPrecondition, Reason::parse(why->reason), why->message};
  if (!why->field.empty()) out.causes = {{why->field, why->message}};
  return out;
}

bool may_be_the_hosts(const SandboxResult& result) {
  if (!result.not_started) return false;
  return is_one_of(Reason::parse(result.not_started->reason),
                   {kSetupFailed, "MEMORY_UNENFORCEABLE", "PIDS_UNENFORCEABLE",
                    "LIMITS_UNENFORCEABLE", "TOOLS_UNSUPPORTED", "DEVICES_UNSUPPORTED",
                    "WALLS_UNAVAILABLE", "JOB_LIMIT_NOT_HELD", "LOOPBACK_UNAVAILABLE",
                    "NETWORK_UNAVAILABLE", "LAUNCHER_LACKS_CAPABILITIES", "LAUNCHER_IS_ROOT"});
}

}  // namespace paddock::contracts

#include "common/contracts/sandbox_refusal.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::contracts {
namespace {

// Its own words, and those of a newer launcher.
bool is_reason(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

constexpr Reason kSetupFailed = "SANDBOX_SETUP_FAILED";

}  // namespace

std::optional<Error> refusal_of(const SandboxResult& result) {
  if (result.status != SandboxStatus::kInternalError) return std::nullopt;
  const size_t end = result.reason.find(": ");
  if (end == std::string::npos) return std::nullopt;
  const Reason reason = Reason::parse(result.reason.substr(0, end));
  if (reason.empty() || !is_reason(reason) || reason == kSetupFailed) return std::nullopt;
  return Error{Code::kFailedPrecondition, reason, result.reason.substr(end + 2)};
}

bool may_be_the_hosts(const SandboxResult& result) {
  if (result.status != SandboxStatus::kInternalError) return false;
  if (result.reason.starts_with(cat(kSetupFailed, ":"))) return true;
  const auto refused = refusal_of(result);
  return refused && is_one_of(refused->reason,
                              {"MEMORY_UNENFORCEABLE", "PIDS_UNENFORCEABLE", "LIMITS_UNENFORCEABLE",
                               "TOOLS_UNSUPPORTED", "DEVICES_UNSUPPORTED", "WALLS_UNAVAILABLE",
                               "JOB_LIMIT_NOT_HELD", "LOOPBACK_UNAVAILABLE", "NETWORK_UNAVAILABLE",
                               "LAUNCHER_LACKS_CAPABILITIES", "LAUNCHER_IS_ROOT"});
}

}  // namespace paddock::contracts

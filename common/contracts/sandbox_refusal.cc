#include "common/contracts/sandbox_refusal.h"

#include <algorithm>

namespace paddock::contracts {
namespace {

// Its own words, and those of a newer launcher.
bool is_reason(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

}  // namespace

std::optional<Error> refusal_of(const SandboxResult& result) {
  if (result.status != SandboxStatus::kInternalError) return std::nullopt;
  const size_t end = result.reason.find(": ");
  if (end == std::string::npos) return std::nullopt;
  const Reason reason = Reason::parse(result.reason.substr(0, end));
  if (reason.empty() || !is_reason(reason) || reason == "SANDBOX_SETUP_FAILED") return std::nullopt;
  return Error{Code::kFailedPrecondition, reason, result.reason.substr(end + 2)};
}

}  // namespace paddock::contracts

#include "common/contracts/sandbox_refusal.h"

#include <algorithm>

namespace paddock::contracts {
namespace {

bool is_code(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

}  // namespace

std::optional<Error> refusal_of(const SandboxResult& result) {
  if (result.status != SandboxStatus::kInternalError) return std::nullopt;
  const size_t end = result.reason.find(": ");
  if (end == std::string::npos) return std::nullopt;
  std::string code = result.reason.substr(0, end);
  if (!is_code(code) || code == "SANDBOX_SETUP_FAILED") return std::nullopt;
  return Error{Code::kFailedPrecondition, std::move(code), result.reason.substr(end + 2)};
}

}  // namespace paddock::contracts

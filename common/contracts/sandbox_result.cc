#include "common/contracts/sandbox_result.h"

namespace paddock::contracts {

void apply_status_table(SandboxResult& result) {
  result.error_class.reset();
  const auto set = [&](int64_t rc, const char* error_class, Reason code = {}) {
    result.rc = rc;
    if (error_class != nullptr) result.error_class = error_class;
    if (!code.empty() && !result.code) result.code = code;
  };
  switch (result.status) {
    case SandboxStatus::kOk:
      return set(0, nullptr);
    case SandboxStatus::kFailed:
      return;
    case SandboxStatus::kTimeout:
      return set(124, "TIMEOUT");
    case SandboxStatus::kCpuLimit:
      return set(152, "LIMIT_EXCEEDED", "E_LIMIT_CPU");
    case SandboxStatus::kMemLimit:
      return set(137, "LIMIT_EXCEEDED", "E_LIMIT_MEMORY");
    case SandboxStatus::kKilledTerm:
      return set(143, nullptr);
    case SandboxStatus::kKilledKill:
      return set(137, nullptr);
    case SandboxStatus::kCanceled:
      return set(143, "CANCELLED");
    case SandboxStatus::kForbiddenSyscall:
      return set(159, "CAPABILITY_DENIED", "E_CAPABILITY_DENIED");
    case SandboxStatus::kLimitExceeded:
      return set(153, "LIMIT_EXCEEDED");
    case SandboxStatus::kInternalError:
      return set(1, nullptr);
  }
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::SandboxResult);

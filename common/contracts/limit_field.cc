#include "common/contracts/limit_field.h"

#include <array>
#include <utility>

#include "common/base/text.h"
#include "common/base/units.h"

namespace paddock::contracts {
namespace {

using Field = std::pair<std::string_view, std::string_view>;
constexpr std::array kFields = {
    Field{"E_LIMIT_PIDS", "pids"},
    Field{"E_LIMIT_FILES", "fileCount"},
    Field{"E_LIMIT_FS", "fsBytes"},
    Field{"E_LIMIT_COMMAND", "commandBytes"},
};

std::string value_text(const std::optional<wire::Duration>& value) {
  return value ? format_duration(value->value) : std::string();
}
std::string value_text(const std::optional<wire::Quantity>& value) {
  return value ? format_quantity(value->bytes) : std::string();
}
std::string value_text(const std::optional<int64_t>& value) {
  return value ? cat(*value) : std::string();
}

std::string_view field_of_code(const SandboxResult& result) {
  // One code for both: the kernel tells a file that grew too large by a signal of its own.
  if (result.code == "E_LIMIT_FS" && result.reason.starts_with("file size limit"))
    return "fileSize";
  for (const auto& [code, field] : kFields) {
    if (result.code == code) return field;
  }
  return {};
}

}  // namespace

std::string_view limit_that_ended(const SandboxResult& result) {
  if (result.status == SandboxStatus::kTimeout) return "wallTime";
  if (result.status == SandboxStatus::kCpuLimit) return "cpuTime";
  if (result.status == SandboxStatus::kMemLimit) return "memory";
  if (result.status == SandboxStatus::kLimitExceeded) return field_of_code(result);
  // A shell whose program was ended so says it by its own exit code.
  constexpr int64_t kFileSizeSignal = 128 + 25;
  if (result.status == SandboxStatus::kFailed && result.rc == kFileSizeSignal) return "fileSize";
  return {};
}

std::vector<std::string_view> limits_that_cut(const SandboxResult& result) {
  std::vector<std::string_view> out;
  if (result.truncated.out) out.emplace_back("stdout");
  if (result.truncated.err) out.emplace_back("stderr");
  return out;
}

std::string limit_text(const SandboxLimits& limits, std::string_view field) {
  std::string out;
  std::apply(
      [&](const auto&... f) {
        ((f.name == field ? void(out = value_text(limits.*(f.member))) : void()), ...);
      },
      SandboxLimits::describe());
  return out;
}

std::string limit_text(const SandboxResult& result, std::string_view field) {
  return result.policy ? limit_text(result.policy->limits, field) : std::string();
}

}  // namespace paddock::contracts

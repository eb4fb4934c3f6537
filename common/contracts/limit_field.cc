#include "common/contracts/limit_field.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "common/base/reason.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "common/contracts/node.h"

namespace paddock::contracts {
namespace {

struct LimitOfCode {
  Reason code;
  std::string_view field;
};
constexpr std::array kLimits = {
    LimitOfCode{"E_LIMIT_PIDS", "pids"},
    LimitOfCode{"E_LIMIT_FILES", "fileCount"},
    LimitOfCode{"E_LIMIT_FS", "fsBytes"},
    LimitOfCode{"E_LIMIT_COMMAND", "commandBytes"},
};

std::string value_text(const std::optional<wire::Duration>& value) {
  return value ? format_duration(value->value) : std::string();
}
// As whoever wrote it: `1G`, where format_quantity() knows units of 1024 alone.
std::string quantity_text(int64_t bytes) {
  constexpr std::array<std::pair<const char*, int64_t>, 3> kUnits = {
      {{"G", 1'000'000'000}, {"M", 1'000'000}, {"k", 1000}}};
  const std::string text = format_quantity(bytes);
  if (bytes == 0 || text != cat(bytes)) return text;
  for (const auto& [unit, size] : kUnits)
    if (bytes % size == 0) return cat(bytes / size, unit);
  return text;
}

std::string value_text(const std::optional<wire::Quantity>& value) {
  return value ? quantity_text(value->bytes) : std::string();
}
std::string value_text(const std::optional<int64_t>& value) {
  return value ? cat(*value) : std::string();
}

std::string_view field_of_code(const SandboxResult& result) {
  for (const auto& [code, field] : kLimits) {
    if (result.code == code) return field;
  }
  return {};
}

// The messages of programs, their libraries and runtimes when the kernel refuses something.
struct Complaint {
  std::string_view field;
  std::string_view of;       // that a command complains of
  std::string_view limited;  // and what is limited
  std::span<const std::string_view> words;
};

// A thread whose stack finds no addresses fails as one that is one too many does (EAGAIN).
constexpr auto kOfMemory = std::to_array<std::string_view>(
    {"memoryerror", "bad_alloc", "out of memory", "cannot allocate memory", "could not allocate",
     "failed to allocate", "failed to map", "memory allocation", "outofmemory",
     "unable to allocate", "mmap failed", "could not reserve", "failed to reserve", "process oom",
     "can't start new thread", "pthread_create"});
constexpr auto kOfProcesses = std::to_array<std::string_view>(
    {"can't start new thread", "cannot fork", "fork: ", "pthread_create",
     "resource temporarily unavailable"});
constexpr auto kOfFiles = std::to_array<std::string_view>({"too many open files", "emfile"});
constexpr auto kOfSize =
    std::to_array<std::string_view>({"file too large", "efbig", "file size limit exceeded"});
constexpr auto kOfSpace = std::to_array<std::string_view>({"no space left on device", "enospc"});
constexpr std::string_view kScratchBytes = "fsBytes";
constexpr std::string_view kMemory = "memory";
// Address, thread and memory sanitizers, of the shadow that they reserve before anything else.
constexpr std::string_view kSanitizer = "sanitizer failed to allocate";
constexpr std::string_view kAddresses = "the address space of each process";
constexpr std::string_view kPrivate = "the private memory of each process";
constexpr std::array kComplaints = {
    Complaint{"addressSpace", "memory", kAddresses, kOfMemory},
    Complaint{kMemory, "memory", kPrivate, kOfMemory},
    Complaint{"pids", "processes", "the number of processes and threads", kOfProcesses},
    Complaint{"openFiles", "open files", "what each process may have open", kOfFiles},
    Complaint{"fileSize", "the size of a file", "the size of each file", kOfSize},
    Complaint{kScratchBytes, "disk space", "what /tmp and /dev/shm hold", kOfSpace},
};

bool is_held_by(const SandboxResult& result, const char* name, std::string_view mechanism) {
  const auto found = result.enforced.find(name);
  return found != result.enforced.end() && found->second.mechanism == mechanism;
}

// A cgroup counts who meets the limits of memory and processes. Where there is one, it decides.
bool only_the_kernel_knows(const SandboxResult& result, std::string_view field) {
  const SandboxLimits& limits = result.policy->limits;
  const bool addresses_first =
      limits.address_space && limits.memory && *limits.address_space <= *limits.memory;
  if (field == "memory") return is_held_by(result, "memory", "RLIMIT_DATA") && !addresses_first;
  return field != "pids" || is_held_by(result, "pids", "RLIMIT_NPROC");
}

// The last of it, in lower case: a program says why it failed before it ends.
std::string last_words(std::string_view text) {
  constexpr size_t kLastBytes = size_t{16} << 10;
  return ascii_lower(text.substr(text.size() - std::min(text.size(), kLastBytes)));
}

std::string words_of(const SandboxResult& result) {
  if (result.status == SandboxStatus::kOk) return last_words(result.err);
  return cat(last_words(result.err), "\n", last_words(result.out));
}

std::vector<const Complaint*> complaints_of(const SandboxResult& result) {
  std::vector<const Complaint*> out;
  const bool well = result.status == SandboxStatus::kOk;
  if ((!well && result.status != SandboxStatus::kFailed) || !result.policy) return out;
  const std::string said = words_of(result);
  const auto says = [&](std::string_view word) { return said.find(word) != std::string::npos; };
  for (const Complaint& each : kComplaints) {
    if (well && each.field != kScratchBytes) continue;
    if (!limit_text(result, each.field).empty() && only_the_kernel_knows(result, each.field) &&
        std::ranges::any_of(each.words, says))
      out.push_back(&each);
  }
  return out;
}

// More memory does not help it.
bool is_of_a_sanitizer(const SandboxResult& result, const Complaint& of) {
  return of.field == kMemory && words_of(result).find(kSanitizer) != std::string::npos;
}

// A node sends it: what is no limit of ours is none.
std::string_view known_limit(std::string_view name) {
  std::string_view out;
  SandboxLimits::describe(
      [&](const auto&... f) { ((f.name == name ? void(out = f.name) : void()), ...); });
  return out;
}

}  // namespace

std::string_view limit_that_ended(const SandboxResult& result) {
  if (const std::string_view limit = known_limit(result.limit); !limit.empty()) return limit;
  if (result.status == SandboxStatus::kTimeout) return "wallTime";
  if (result.status == SandboxStatus::kCpuLimit) return "cpuTime";
  if (result.status == SandboxStatus::kMemLimit) return "memory";
  if (result.status == SandboxStatus::kLimitExceeded) return field_of_code(result);
  return {};
}

Truncated cut_by_limit(const SandboxLimits& limits, const Usage& usage) {
  const auto over = [](int64_t written, const std::optional<wire::Quantity>& limit) {
    return limit && written > limit->bytes;
  };
  return {over(usage.stdout_bytes, limits.stdout_bytes),
          over(usage.stderr_bytes, limits.stderr_bytes)};
}

Truncated cut_by_limit(const SandboxResult& result) {
  if (result.policy) return cut_by_limit(result.policy->limits, result.usage);
  return result.code == Reason("E_LIMIT_OUTPUT") ? result.truncated : Truncated{};
}

bool output_was_lost(const SandboxResult& result) {
  return result.code == kNodeDiskFull || result.code == kNodeFileLimit;
}

std::vector<std::string_view> limits_outlived(const SandboxResult& result) {
  std::vector<std::string_view> out;
  const std::string_view met =
      result.status == SandboxStatus::kOk ? field_of_code(result) : std::string_view();
  if (!met.empty()) out.push_back(met);
  const Truncated cut = cut_by_limit(result);
  if (cut.out) out.emplace_back("stdout");
  if (cut.err) out.emplace_back("stderr");
  return out;
}

std::vector<std::string_view> limits_complained_of(const SandboxResult& result) {
  std::vector<std::string_view> out;
  for (const Complaint* each : complaints_of(result))
    if (!is_of_a_sanitizer(result, *each)) out.push_back(each->field);
  return out;
}

std::string complaints_text(const SandboxResult& result) {
  std::string out;
  for (const Complaint* each : complaints_of(result)) {
    out += cat(out.empty() ? "" : "; ", "it complains of ", each->of, ", and ", each->limited,
               " is limited to ", limit_text(result, each->field), " (limits.", each->field, ")");
    if (is_of_a_sanitizer(result, *each))
      out +=
          "; sanitizers reserve terabytes, which only a host that limits runs by a cgroup allows";
  }
  return out;
}

std::string limit_text(const SandboxLimits& limits, std::string_view field) {
  std::string out;
  SandboxLimits::describe([&](const auto&... f) {
    ((f.name == field ? void(out = value_text(limits.*(f.member))) : void()), ...);
  });
  return out;
}

std::string limit_text(const SandboxResult& result, std::string_view field) {
  return result.policy ? limit_text(result.policy->limits, field) : std::string();
}

}  // namespace paddock::contracts

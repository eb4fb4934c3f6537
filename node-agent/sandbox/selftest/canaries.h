// The canaries as a table: what is tried inside a real sandbox, which capability that proves, and
// which answers of the kernel are good ones. Pure; linux/selftest/canary_attempts.cc tries,
// linux/selftest/canary_launches.cc starts the sandboxes that it tries in.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.h"
#include "common/contracts/canary.h"
#include "node-agent/sandbox/selftest/remedies.h"

namespace paddock::sandbox {

struct CanarySpec {
  std::string_view name;
  std::string_view capability;
  std::string_view attempt;
  std::vector<std::string_view> good;  // any of these answers
};
std::span<const CanarySpec> canary_table();

// The limits that the attempts run into; so small that a sandbox without them is not hurt either.
struct CanaryLimits {
  static constexpr int64_t kPids = 16;
  static constexpr int64_t kOpenFiles = 32;
  static constexpr int64_t kFilters = 256;  // of every run
  static constexpr int64_t kRanges = 64;    // of an open file, likewise
  static constexpr int64_t kFileBytes = 256 << 10;
  static constexpr int64_t kScratchBytes = 1 << 20;
  static constexpr int64_t kScratchFiles = 64;
  static constexpr int64_t kMemoryBytes = 64 << 20;
  static constexpr int64_t kOutputBytes = 1000;
  // The cgroup's counter is read every 100 ms: the first reading is beyond it, where nobody else
  // computes.
  static constexpr Millis kCpu{50};
  static constexpr Millis kWall{50};
};

// The results of all attempts together.
struct CanaryFindings {
  std::map<std::string, std::string, std::less<>> answers;  // by name; missing: not tried
  std::optional<Error> no_bait;                             // why none could be tried
  std::string why_not;                                      // why some could not be tried
  std::map<std::string, contracts::Enforcement> enforced;   // of the run in which they were
};

// `name<TAB>answer` lines, as the inner half prints them; others are ignored.
void take_answers(std::string_view lines, CanaryFindings& findings);
// Judges the canaries. One that was not tried has not passed.
std::vector<contracts::Canary> judge(const CanaryFindings& findings, const HostSettings& host);
// A capability is available if the kernel accepted it and no canary says otherwise.
std::vector<contracts::Capability> proven(const CanaryFindings& findings,
                                          const std::vector<contracts::Canary>& canaries);

}  // namespace paddock::sandbox

// Says what would fix a weak host: one line to run or to configure, decided from the settings that
// are known to be in the way. Pure; linux/selftest/host_settings.cc reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "node-agent/sandbox/plan/host_facts.h"
#include "node-agent/sandbox/selftest/container_kind.h"

namespace paddock::sandbox {

struct HostSettings {
  bool root = false;
  Container container = Container::kNone;
  std::string apparmor_profile;  // enforced on the launcher; empty: none
  int kernel_major = 0;
  int kernel_minor = 0;
  std::optional<int64_t> max_user_namespaces;
  std::optional<int64_t> unprivileged_userns_clone;  // Debian's
  std::optional<int64_t> apparmor_restrict_userns;   // Ubuntu's
  bool seccomp_notify = true;
  int landlock = 0;
  std::string security_modules;  // the active ones, as in the boot parameter lsm=
  CgroupFacts cgroup;
  std::optional<int64_t> file_max;     // open files of the whole host
  std::optional<int64_t> pid_max;      // process numbers, and
  std::optional<int64_t> threads_max;  // what there is memory for
};

enum class CanaryEnd { kPassed, kFailed, kNotTried };

// Empty if nothing is needed; what has not passed always has a line.
std::string remedy_for(std::string_view capability, CanaryEnd end, const HostSettings& host);

}  // namespace paddock::sandbox

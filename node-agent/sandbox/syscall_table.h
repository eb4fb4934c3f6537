// The system calls that a sandbox refuses, as a table that reads like the policy. Everything else
// is allowed: namespaces, capabilities and mounts do the rest.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace paddock::sandbox {

enum class SyscallAction {
  kRefuse,    // fails with EPERM
  kUnknown,   // fails with ENOSYS: libraries fall back to an older call that can be checked
  kNoFamily,  // fails with EAFNOSUPPORT
  kKill,      // no honest program calls it: the process dies with SIGSYS
  kAsk,       // the launcher decides and records (network.h)
};

// Applies only if (argument & mask) == value; with mask 0, if the argument differs from `value`.
struct ArgumentMatch {
  int argument = -1;
  uint64_t mask = 0;
  uint64_t value = 0;
};

struct SyscallRule {
  std::string_view syscall;
  SyscallAction action = SyscallAction::kRefuse;
  std::string_view why;
  ArgumentMatch first = {};
  ArgumentMatch second = {};
};

// What neither the launcher nor the sandbox's init ever does: a launcher that serves many runs
// takes these rules on itself once, and every process that it starts has them.
std::span<const SyscallRule> base_table();
// What building a sandbox needs and the command must not have, and what is asked about.
std::span<const SyscallRule> launch_table();

}  // namespace paddock::sandbox

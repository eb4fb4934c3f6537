#include "node-agent/sandbox/seccomp_program.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include <seccomp.h>

#include "common/base/text.h"
#include "common/os/fd.h"

namespace paddock::sandbox {
namespace {

struct Release {
  void operator()(void* context) const { seccomp_release(context); }
};
using Context = std::unique_ptr<void, Release>;

uint32_t action_code(SyscallAction action) {
  switch (action) {
    case SyscallAction::kRefuse:
      return SCMP_ACT_ERRNO(EPERM);
    case SyscallAction::kUnknown:
      return SCMP_ACT_ERRNO(ENOSYS);
    case SyscallAction::kNoFamily:
      return SCMP_ACT_ERRNO(EAFNOSUPPORT);
    case SyscallAction::kKill:
      return SCMP_ACT_KILL_PROCESS;
    case SyscallAction::kAsk:
      return SCMP_ACT_NOTIFY;
  }
  return SCMP_ACT_KILL_PROCESS;
}

// Calls that are younger than the library, by their number on every 64-bit architecture.
constexpr std::pair<std::string_view, int> kYoungCalls[] = {
    {"quotactl_fd", 443}, {"fchmodat2", 452}, {"open_tree_attr", 467}};

int syscall_number(std::string_view name) {
  const int number = seccomp_syscall_resolve_name(std::string(name).c_str());
  if (number != __NR_SCMP_ERROR) return number;
  for (const auto& [young, young_number] : kYoungCalls) {
    if (young == name) return young_number;
  }
  return __NR_SCMP_ERROR;
}

scmp_arg_cmp comparison(const ArgumentMatch& match) {
  const auto argument = static_cast<unsigned>(match.argument);
  if (match.mask == 0) return {argument, SCMP_CMP_NE, match.value, 0};
  return {argument, SCMP_CMP_MASKED_EQ, match.mask, match.value};
}

Status add_rule(void* context, const SyscallRule& rule) {
  const int number = syscall_number(rule.syscall);
  if (number == __NR_SCMP_ERROR)
    return system_error(cat("the filter's rule for ", rule.syscall), ENOENT);
  if (number < 0) return {};  // not a call of this architecture
  scmp_arg_cmp arguments[2];
  unsigned count = 0;
  for (const ArgumentMatch* match : {&rule.first, &rule.second}) {
    if (match->argument >= 0) arguments[count++] = comparison(*match);
  }
  const int error =
      seccomp_rule_add_array(context, action_code(rule.action), number, count, arguments);
  if (error != 0) return system_error(cat("the filter's rule for ", rule.syscall), -error);
  return {};
}

Result<SeccompProgram> export_program(void* context) {
  const os::Fd file(memfd_create("seccomp", MFD_CLOEXEC));
  if (!file.valid()) return system_error("a file in memory", errno);
  if (const int error = seccomp_export_bpf(context, file.get()); error != 0) {
    return system_error("rendering the system call filter", -error);
  }
  const off_t bytes = lseek(file.get(), 0, SEEK_END);
  if (bytes <= 0 || lseek(file.get(), 0, SEEK_SET) != 0)
    return system_error("the system call filter", errno);
  SeccompProgram program(static_cast<size_t>(bytes) / sizeof(sock_filter));
  if (read(file.get(), program.data(), static_cast<size_t>(bytes)) != bytes) {
    return system_error("reading the system call filter", errno);
  }
  return program;
}

}  // namespace

Result<SeccompProgram> render_seccomp(std::span<const SyscallRule> table) {
  const Context context(seccomp_init(SCMP_ACT_ALLOW));
  if (!context) return system_error("the system call filter", ENOMEM);
  seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree instead of a list
  for (const SyscallRule& rule : table) TRY(add_rule(context.get(), rule));
  return export_program(context.get());
}

Result<SeccompFilters> render_filters() {
  SeccompFilters out;
  ASSIGN_OR_RETURN(out.base, render_seccomp(base_table()));
  ASSIGN_OR_RETURN(out.launch, render_seccomp(launch_table()));
  return out;
}

}  // namespace paddock::sandbox

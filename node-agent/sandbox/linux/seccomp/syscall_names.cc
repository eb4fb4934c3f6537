#include "node-agent/sandbox/linux/seccomp/syscall_names.h"

#include <linux/audit.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include <seccomp.h>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

// Calls that are younger than the library. Since 424 a number is the same on every machine.
constexpr std::pair<std::string_view, int> kYoungCalls[] = {
    {"cachestat", 451},         {"fchmodat2", 452},        {"map_shadow_stack", 453},
    {"statmount", 457},         {"listmount", 458},        {"lsm_get_self_attr", 459},
    {"lsm_set_self_attr", 460}, {"lsm_list_modules", 461}, {"mseal", 462},
    {"setxattrat", 463},        {"getxattrat", 464},       {"listxattrat", 465},
    {"removexattrat", 466},     {"open_tree_attr", 467},   {"file_getattr", 468},
    {"file_setattr", 469}};

uint32_t library_arch(Machine machine) {
  return machine == Machine::kAarch64 ? SCMP_ARCH_AARCH64 : SCMP_ARCH_X86_64;
}

std::string name_on(uint32_t library, int number) {
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, Free> name(seccomp_syscall_resolve_num_arch(library, number));
  if (name) return name.get();
  for (const auto& [young, young_number] : kYoungCalls) {
    if (young_number == number) return std::string(young);
  }
  return cat("call ", number);
}

}  // namespace

std::optional<int> syscall_number(std::string_view name, Machine machine) {
  const int number =
      seccomp_syscall_resolve_name_arch(library_arch(machine), std::string(name).c_str());
  if (number != __NR_SCMP_ERROR) return number;
  for (const auto& [young, young_number] : kYoungCalls) {
    if (young == name) return young_number;
  }
  return std::nullopt;
}

std::string syscall_name(int number, uint32_t arch) {
  if (arch == AUDIT_ARCH_I386) return cat("i386 ", name_on(SCMP_ARCH_X86, number));
  if (arch == AUDIT_ARCH_ARM) return cat("arm ", name_on(SCMP_ARCH_ARM, number));
  if (arch == static_cast<uint32_t>(Machine::kAarch64)) return name_on(SCMP_ARCH_AARCH64, number);
  if ((static_cast<uint32_t>(number) & kX32Bit) != 0) {
    return cat("x32 ", name_on(SCMP_ARCH_X86_64, number & static_cast<int>(~kX32Bit)));
  }
  return name_on(SCMP_ARCH_X86_64, number);
}

}  // namespace paddock::sandbox

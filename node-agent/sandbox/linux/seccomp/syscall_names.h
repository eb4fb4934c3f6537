// System calls by name and by number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace paddock::sandbox {

// Values are those of AUDIT_ARCH_*, as seccomp reports them.
enum class Machine : uint32_t { kX86_64 = 0xc000003e, kAarch64 = 0xc00000b7 };

constexpr Machine this_machine() {
#if defined(__aarch64__)
  return Machine::kAarch64;
#else
  return Machine::kX86_64;
#endif
}

// x86-64 takes the calls of a second machine, x32, by this bit. syscall(-1) is none of them.
constexpr uint32_t kX32Bit = 0x40000000;
constexpr bool is_x32(int number) {
  return this_machine() == Machine::kX86_64 && number != -1 &&
         (static_cast<uint32_t>(number) & kX32Bit) != 0;
}

// Negative: no such call on this machine. Nothing: no such name anywhere.
std::optional<int> syscall_number(std::string_view name, Machine machine);
// `mount`; for what has no name `call 999`, and for other machines' calls, such as i386, that too:
// `i386 mount`. `arch` is AUDIT_ARCH_*.
std::string syscall_name(int number, uint32_t arch);

}  // namespace paddock::sandbox

// Runs a classic BPF program the way the kernel's seccomp does, for tests: strict, so that a
// program that the kernel would refuse fails here too.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstring>
#include <optional>
#include <span>

namespace paddock::sandbox {

// The program's answer; nothing if it is no valid program for this call.
inline std::optional<uint32_t> run_bpf(std::span<const sock_filter> program,
                                       const seccomp_data& data) {
  uint32_t a = 0;
  if (program.empty() || program.size() > BPF_MAXINSNS) return std::nullopt;
  for (size_t at = 0; at < program.size(); ++at) {
    const sock_filter& i = program[at];
    switch (i.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        if (i.k % 4 != 0 || i.k + 4 > sizeof data) return std::nullopt;
        std::memcpy(&a, reinterpret_cast<const char*>(&data) + i.k, 4);
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        a &= i.k;
        break;
      case BPF_JMP | BPF_JA:
        at += i.k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        at += a == i.k ? i.jt : i.jf;
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        at += a >= i.k ? i.jt : i.jf;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        at += (a & i.k) != 0 ? i.jt : i.jf;
        break;
      case BPF_RET | BPF_K:
        return i.k;
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace paddock::sandbox

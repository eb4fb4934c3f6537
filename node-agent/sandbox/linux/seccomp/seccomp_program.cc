#include "node-agent/sandbox/linux/seccomp/seccomp_program.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include <map>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

using Is = WordTest::Is;

constexpr uint32_t kNoCall = 0xffffffff;  // syscall(-1), which programs try for its ENOSYS

sock_filter statement(unsigned code, uint32_t k) { return {static_cast<uint16_t>(code), 0, 0, k}; }
sock_filter jump(unsigned code, uint32_t k, size_t if_true, size_t if_false) {
  return {static_cast<uint16_t>(code), static_cast<uint8_t>(if_true),
          static_cast<uint8_t>(if_false), k};
}
sock_filter load(size_t offset) {
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
}

uint32_t code_of(SyscallAction action) {
  switch (action) {
    case SyscallAction::kAllow:
      return SECCOMP_RET_ALLOW;
    case SyscallAction::kPretend:
      return SECCOMP_RET_ERRNO;
    case SyscallAction::kRefuse:
      return SECCOMP_RET_ERRNO | EPERM;
    case SyscallAction::kUnknown:
      return SECCOMP_RET_ERRNO | ENOSYS;
    case SyscallAction::kNoFamily:
      return SECCOMP_RET_ERRNO | EAFNOSUPPORT;
    case SyscallAction::kNoProtocol:
      return SECCOMP_RET_ERRNO | EPROTONOSUPPORT;
    case SyscallAction::kNoMemory:
      return SECCOMP_RET_ERRNO | ENOMEM;
    case SyscallAction::kInvalid:
      return SECCOMP_RET_ERRNO | EINVAL;
    case SyscallAction::kUnsupported:
      return SECCOMP_RET_ERRNO | EOPNOTSUPP;
    case SyscallAction::kReport:
    case SyscallAction::kJudge:
    case SyscallAction::kForbidden:
      return SECCOMP_RET_USER_NOTIF;
  }
  return SECCOMP_RET_KILL_PROCESS;
}

SeccompProgram answer(SyscallAction action) {
  return {statement(BPF_RET | BPF_K, code_of(action))};
}

// Both machines are little-endian: the lower half of an argument comes first.
size_t offset_of(const WordTest& test) {
  return offsetof(seccomp_data, args) + static_cast<size_t>(test.argument) * sizeof(uint64_t) +
         (test.upper ? sizeof(uint32_t) : 0);
}

// Falls through if the test holds, else jumps over `rest` further instructions.
void append_test(const WordTest& test, size_t rest, SeccompProgram& out) {
  out.push_back(load(offset_of(test)));
  if (test.is != Is::kAnyBit && test.mask != ~0u)
    out.push_back(statement(BPF_ALU | BPF_AND | BPF_K, test.mask));
  switch (test.is) {
    case Is::kEqual:
      out.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, test.value, 0, rest));
      break;
    case Is::kDifferent:
      out.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, test.value, rest, 0));
      break;
    case Is::kAnyBit:
      out.push_back(jump(BPF_JMP | BPF_JSET | BPF_K, test.value, 0, rest));
      break;
  }
}

// The rules for one call, one after the other.
SeccompProgram render_rules(const std::vector<const SyscallRule*>& rules) {
  SeccompProgram out;
  for (const SyscallRule* rule : rules) {
    SeccompProgram then = answer(rule->action);
    if (rule->second.argument >= 0) {
      SeccompProgram second;
      append_test(rule->second, then.size(), second);
      then.insert(then.begin(), second.begin(), second.end());
    }
    if (rule->first.argument >= 0) append_test(rule->first, then.size(), out);
    out.insert(out.end(), then.begin(), then.end());
    if (rule->first.argument < 0) return out;  // always applies
  }
  out.push_back(answer(SyscallAction::kAllow).front());
  return out;
}

// The program for the system calls from this number up to the next range's first.
struct Range {
  uint32_t first = 0;
  SeccompProgram program;
};

bool same(const SeccompProgram& a, const SeccompProgram& b) {
  return a.size() == 1 && b.size() == 1 && a[0].k == b[0].k;
}

void append_range(uint32_t first, SeccompProgram program, std::vector<Range>& out) {
  if (!out.empty() && out.back().first == first) out.pop_back();
  if (out.empty() || !same(out.back().program, program)) out.push_back({first, std::move(program)});
}

SeccompProgram render_tree(std::span<const Range> ranges) {
  if (ranges.size() == 1) return ranges[0].program;
  const size_t half = ranges.size() / 2;
  const SeccompProgram below = render_tree(ranges.first(half));
  const SeccompProgram above = render_tree(ranges.subspan(half));
  constexpr size_t kFarthest = 255;
  SeccompProgram out;
  const uint32_t pivot = ranges[half].first;
  if (below.size() <= kFarthest) {
    out.push_back(jump(BPF_JMP | BPF_JGE | BPF_K, pivot, below.size(), 0));
  } else {
    out.push_back(jump(BPF_JMP | BPF_JGE | BPF_K, pivot, 0, 1));
    out.push_back(statement(BPF_JMP | BPF_JA, static_cast<uint32_t>(below.size())));
  }
  out.insert(out.end(), below.begin(), below.end());
  out.insert(out.end(), above.begin(), above.end());
  return out;
}

using RulesByNumber = std::map<uint32_t, std::vector<const SyscallRule*>>;

Result<RulesByNumber> by_number(std::span<const SyscallRule> table, Machine machine) {
  RulesByNumber out;
  for (const SyscallRule& rule : table) {
    const auto number = syscall_number(rule.syscall, machine);
    if (!number) return system_error(cat("the filter's rule for ", rule.syscall), ENOENT);
    if (*number >= 0) out[static_cast<uint32_t>(*number)].push_back(&rule);
  }
  return out;
}

}  // namespace

Result<SeccompProgram> render_seccomp(std::span<const SyscallRule> table, SyscallAction foreign,
                                      Machine machine) {
  ASSIGN_OR_RETURN(const RulesByNumber rules, by_number(table, machine));
  std::vector<Range> ranges;
  append_range(0, answer(SyscallAction::kAllow), ranges);
  for (const auto& [number, of_call] : rules) {
    append_range(number, render_rules(of_call), ranges);
    append_range(number + 1, answer(SyscallAction::kAllow), ranges);
  }
  append_range(kNewestSyscall + 1, answer(SyscallAction::kUnknown), ranges);
  if (machine == Machine::kX86_64) {
    append_range(kX32Bit, answer(foreign), ranges);
    append_range(kNoCall, answer(SyscallAction::kUnknown), ranges);
  }
  SeccompProgram out = {load(offsetof(seccomp_data, arch)),
                        jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(machine), 1, 0),
                        answer(foreign).front(), load(offsetof(seccomp_data, nr))};
  const SeccompProgram tree = render_tree(ranges);
  out.insert(out.end(), tree.begin(), tree.end());
  return out;
}

Result<SeccompProgram> render_base_filter(Machine machine) {
  return render_seccomp(launcher_rules(), SyscallAction::kAllow, machine);
}

Result<SeccompProgram> render_launch_filter(const LaunchChoices& choices, Machine machine) {
  return render_seccomp(command_rules(choices), SyscallAction::kForbidden, machine);
}

Result<SeccompFilters> render_filters(const LaunchChoices& choices) {
  SeccompFilters out;
  ASSIGN_OR_RETURN(out.base, render_base_filter());
  ASSIGN_OR_RETURN(out.launch, render_launch_filter(choices));
  out.choices = choices;
  return out;
}

}  // namespace paddock::sandbox

// SandboxResult: one shape everywhere. Status, rc, errorClass and code follow the table in
// docs/results.md; `enforced` says for each capability what was asked and what the kernel accepted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/network.h"
#include "common/contracts/sandbox_policy.h"

namespace paddock::contracts {

enum class SandboxStatus {
  kOk,
  kFailed,
  kTimeout,
  kCpuLimit,
  kMemLimit,
  kKilledTerm,
  kKilledKill,
  kCanceled,
  kForbiddenSyscall,
  kLimitExceeded,
  kInternalError,
};

// How strongly a capability is enforced.
enum class EnforcementLevel { kKernel, kBroker, kPolled, kAdvisory, kNone };

struct Enforcement {
  wire::Value requested;
  bool applied = false;  // true only after the kernel accepted it
  std::string mechanism;
  EnforcementLevel level = EnforcementLevel::kNone;
  std::string details;
  std::string reason;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("requested", &Enforcement::requested, "what the policy asked for"),
        field("applied", &Enforcement::applied,
              "whether it was in force before the first instruction"),
        field("mechanism", &Enforcement::mechanism, "how: cgroup v2 memory.max, seccomp, …"),
        field("level", &Enforcement::level, "kernel, broker, polled, advisory or none"),
        field("details", &Enforcement::details, "what an operator needs to know",
              {.omit_empty = true}),
        field(
            "reason", &Enforcement::reason,
            "why less is in force than was asked for: a stable word; absent if nothing is missing",
            {.omit_empty = true}));
  }
};

struct Denial {
  std::string what;
  std::string target;
  std::string executable;
  std::string rule;
  std::string remedy;
  int64_t count = 1;
  std::string command_id;  // of a command that was executed in the run; empty: the run's own
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("what", &Denial::what, "what was tried"),
        field("target", &Denial::target,
              "the object of the attempt: a file, a program, a host with its port",
              {.omit_empty = true}),
        field("executable", &Denial::executable, "the program that tried it", {.omit_empty = true}),
        field("rule", &Denial::rule, "which rule refused it"),
        field("remedy", &Denial::remedy, "what would allow it"),
        field("count", &Denial::count, "how often"),
        field(
            "commandId", &Denial::command_id,
            "of the command executed in the run (`paddock exec`) that tried it; absent: the run's "
            "own",
            {.omit_empty = true, .max_length = 64}));
  }
};

struct Truncated {
  bool out = false;
  bool err = false;
  static constexpr auto describe(auto&& visit) {
    return visit(field("stdout", &Truncated::out, "standard output was cut"),
                 field("stderr", &Truncated::err, "standard error was cut"));
  }
};

struct Usage {
  int64_t cpu_ms = 0;
  std::optional<int64_t> peak_memory_bytes;
  std::optional<int64_t> peak_pids;
  int64_t stdout_bytes = 0;  // written by the program, kept or not
  int64_t stderr_bytes = 0;
  std::vector<NetworkFlow> network;
  std::optional<int64_t> accelerator_ms;
  static constexpr auto describe(auto&& visit) {
    return visit(field("cpu_ms", &Usage::cpu_ms, "CPU time over all processes"),
                 field("peak_memory_bytes", &Usage::peak_memory_bytes,
                       "highest memory use seen by the kernel"),
                 field("peak_pids", &Usage::peak_pids, "most processes at once"),
                 field("stdout_bytes", &Usage::stdout_bytes, "bytes written to standard output"),
                 field("stderr_bytes", &Usage::stderr_bytes, "bytes written to standard error"),
                 field("network", &Usage::network, "what was reached over the network",
                       {.omit_empty = true}),
                 field("accelerator_ms", &Usage::accelerator_ms,
                       "how long accelerators were held, times their number"));
  }
};

// What a test run's report counted. The report is written where the tests cannot write.
struct TestCounts {
  int64_t collected = 0;
  int64_t passed = 0;
  int64_t failed = 0;  // with those that broke before or after their own code
  int64_t skipped = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(field("collected", &TestCounts::collected, "tests that were found", {.min = 0}),
                 field("passed", &TestCounts::passed, "tests that passed", {.min = 0}),
                 field("failed", &TestCounts::failed, "tests that failed or broke", {.min = 0}),
                 field("skipped", &TestCounts::skipped, "tests that were skipped", {.min = 0}));
  }
};

// Why nothing was started: what SandboxResult::reason says to people, for programs.
struct NotStarted {
  std::string reason;
  std::string field;
  std::string message;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("reason", &NotStarted::reason, "a stable word of docs/troubleshooting.md"),
        field("field", &NotStarted::field,
              "of the policy, such as tools[0]; absent: it is about none", {.omit_empty = true}),
        field("message", &NotStarted::message, "the sentence, without reason and field"));
  }
};

struct SandboxResult {
  int64_t version = 2;
  SandboxStatus status = SandboxStatus::kInternalError;
  int64_t rc = 1;
  std::string reason;
  std::optional<std::string> error_class;
  std::optional<std::string> code;
  std::string limit;
  std::string out;
  std::string err;
  Truncated truncated;
  int64_t duration_ms = 0;
  std::vector<std::string> cmd;
  std::string trace_id;
  Usage usage;
  std::map<std::string, Enforcement> enforced;
  std::vector<Denial> denials;
  std::optional<SandboxPolicy> policy;
  std::optional<TestCounts> tests;
  std::optional<NotStarted> not_started;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("version", &SandboxResult::version, "the version of this shape: 2"),
        field("status", &SandboxResult::status, "how it ended"),
        field("rc", &SandboxResult::rc, "exit code as a shell would show it"),
        field("reason", &SandboxResult::reason, "why it ended so, with the system's own cause"),
        field("errorClass", &SandboxResult::error_class,
              "TIMEOUT, CANCELLED, CAPABILITY_DENIED or LIMIT_EXCEEDED"),
        field("code", &SandboxResult::code, "E_LIMIT_MEMORY, E_CAPABILITY_DENIED, …"),
        field("limit", &SandboxResult::limit,
              "the limit of the policy that ended it, such as memory; absent: none did",
              {.omit_empty = true}),
        field("stdout", &SandboxResult::out, "standard output, at most what the policy keeps"),
        field("stderr", &SandboxResult::err, "standard error, at most what the policy keeps"),
        field("truncated", &SandboxResult::truncated, "which stream was cut"),
        field("duration_ms", &SandboxResult::duration_ms, "real time from start to reaped"),
        field("cmd", &SandboxResult::cmd, "what was run"),
        field("traceId", &SandboxResult::trace_id, "unique per launch"),
        field("usage", &SandboxResult::usage, "what was used"),
        field("enforced", &SandboxResult::enforced,
              "how each limit and rule of the policy was held"),
        field("denials", &SandboxResult::denials, "what was refused"),
        field("policy", &SandboxResult::policy, "effective; absent if the request was unreadable"),
        field("tests", &SandboxResult::tests, "of a run of type test: what its report counted"),
        field("notStarted", &SandboxResult::not_started,
              "why nothing was started; absent: something was"));
  }
};

// Fills rc, errorClass and code from the status, by the table. FAILED keeps the rc that is set.
void apply_status_table(SandboxResult& result);

}  // namespace paddock::contracts

template <>
struct paddock::wire::EnumNames<paddock::contracts::SandboxStatus> {
  using E = contracts::SandboxStatus;
  static constexpr std::array values = {
      std::pair{E::kOk, std::string_view("OK")},
      std::pair{E::kFailed, std::string_view("FAILED")},
      std::pair{E::kTimeout, std::string_view("TIMEOUT")},
      std::pair{E::kCpuLimit, std::string_view("CPU_LIMIT")},
      std::pair{E::kMemLimit, std::string_view("MEM_LIMIT")},
      std::pair{E::kKilledTerm, std::string_view("KILLED_TERM")},
      std::pair{E::kKilledKill, std::string_view("KILLED_KILL")},
      std::pair{E::kCanceled, std::string_view("CANCELED")},
      std::pair{E::kForbiddenSyscall, std::string_view("FORBIDDEN_SYSCALL")},
      std::pair{E::kLimitExceeded, std::string_view("LIMIT_EXCEEDED")},
      std::pair{E::kInternalError, std::string_view("INTERNAL_ERROR")},
  };
};
template <>
struct paddock::wire::EnumNames<paddock::contracts::EnforcementLevel> {
  using E = contracts::EnforcementLevel;
  static constexpr std::array values = {
      std::pair{E::kKernel, std::string_view("kernel")},
      std::pair{E::kBroker, std::string_view("broker")},
      std::pair{E::kPolled, std::string_view("polled")},
      std::pair{E::kAdvisory, std::string_view("advisory")},
      std::pair{E::kNone, std::string_view("none")},
  };
};

PADDOCK_EXTERN_CODEC(paddock::contracts::SandboxResult);

// Sandbox: a session. Its `security` is fixed when it is created; then commands are run in it one
// by one or side by side, each in a sandbox of its own, on one folder that only they share. Names,
// numbers and error classes are those of the sandbox design (WSM).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/sandbox_result.h"

namespace paddock::contracts {

// What a session may ask for, and what it has unless it asks (WSM Defaults).
namespace session_defaults {
inline constexpr bool kLoopback = true;
inline constexpr int64_t kTimeoutMs = 10'000;
inline constexpr int64_t kMemoryBytes = int64_t{256} << 20;
inline constexpr int64_t kFsBytes = int64_t{256} << 20;
inline constexpr int64_t kFileCount = 100'000;
inline constexpr int64_t kOutputBytes = int64_t{1} << 20;
inline constexpr int64_t kCommandBytes = int64_t{64} << 10;
inline constexpr int64_t kRpcBytes = int64_t{8} << 20;
inline constexpr Millis kIdleTimeout{15 * 60'000};
inline constexpr Millis kLifetime{8 * 3'600'000};
}  // namespace session_defaults

inline constexpr int64_t kLeastRpcBytes = 1024;
inline constexpr int64_t kMostRpcBytes = int64_t{8} << 20;  // of every call of this API
inline constexpr int64_t kMostCommandBytes = 131'071;       // what a kernel takes as one argument
inline constexpr int64_t kMostSessionOutput = int64_t{4} << 20;
inline constexpr Millis kLongestLifetime{7 * 24 * 3'600'000};
inline constexpr std::string_view kSessionProfile = "session";
inline constexpr std::string_view kSessionShell = "sh";  // what runs the text of a command

// The programs of a session that names none: the core tools and Python.
const std::vector<std::string>& default_session_tools();
// What a node's launcher is told to let be executed: the tools, and the shell.
std::vector<std::string> session_programs(const std::vector<std::string>& tools);

struct SessionLimits {
  std::optional<int64_t> timeout_ms;
  std::optional<int64_t> memory_bytes;
  std::optional<int64_t> fs_bytes;
  std::optional<int64_t> file_count;
  std::optional<int64_t> stdout_bytes;
  std::optional<int64_t> stderr_bytes;
  std::optional<int64_t> command_bytes;
  std::optional<int64_t> rpc_bytes;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("timeoutMs", &SessionLimits::timeout_ms, "real time of one command",
              {.min = 1, .max = 86'400'000}),
        field("memoryBytes", &SessionLimits::memory_bytes, "memory of one command's processes",
              {.min = int64_t{1} << 20, .max = int64_t{1} << 50}),
        field("fsBytes", &SessionLimits::fs_bytes, "bytes of all files of the session",
              {.min = 1, .max = int64_t{1} << 50}),
        field("fileCount", &SessionLimits::file_count, "files and folders of the session",
              {.min = 1, .max = 1'000'000'000}),
        field("stdoutBytes", &SessionLimits::stdout_bytes, "of standard output kept",
              {.min = 1, .max = kMostSessionOutput}),
        field("stderrBytes", &SessionLimits::stderr_bytes, "of standard error kept",
              {.min = 1, .max = kMostSessionOutput}),
        field("commandBytes", &SessionLimits::command_bytes, "length of one command's text",
              {.min = 1, .max = kMostCommandBytes}),
        field("rpcBytes", &SessionLimits::rpc_bytes, "size of one request about this session",
              {.min = kLeastRpcBytes, .max = kMostRpcBytes}));
  }
};

struct SecurityOptions {
  NetworkPolicy network;
  std::vector<HostMount> host_mounts;
  std::optional<std::vector<std::string>> tool_allowlist;
  SessionLimits limits;
  std::map<std::string, std::string> env;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("network", &SecurityOptions::network, "none unless enabled, and then these domains"),
        field("hostMounts", &SecurityOptions::host_mounts, "folders of the node; none by default",
              {.max_length = 64}),
        field("toolAllowlist", &SecurityOptions::tool_allowlist,
              "programs that may be executed; core tools and python3 unless given",
              {.max_length = 256}),
        field("limits", &SecurityOptions::limits, "what may be used up"),
        field("env", &SecurityOptions::env,
              "variables of its commands, beside those of the profile",
              {.omit_empty = true, .max_length = 64}));
  }
  void validate(wire::Check& check) const;
};

struct SandboxSpec {
  SecurityOptions security;
  std::optional<wire::Duration> idle_timeout;
  std::optional<wire::Duration> lifetime;
  std::optional<wire::Wait> termination_grace;
  std::map<std::string, std::string> node_selector;
  std::optional<bool> suspended;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("security", &SandboxSpec::security, "fixed for the session's life"),
        field("idleTimeout", &SandboxSpec::idle_timeout,
              "the session ends when nothing was asked of it for so long; 15m unless given"),
        field("lifetime", &SandboxSpec::lifetime,
              "and so long after it was made at the latest; 8h unless given, can be changed"),
        field("terminationGrace", &SandboxSpec::termination_grace,
              "from SIGTERM to SIGKILL when a command's time is up or it is canceled; none unless "
              "given"),
        field("nodeSelector", &SandboxSpec::node_selector, "labels of the node that it needs",
              {.omit_empty = true, .max_length = 32}),
        field("suspended", &SandboxSpec::suspended,
              "it takes no command and no change of a file, and does not end by being idle; can be "
              "changed"));
  }
  void validate(wire::Check& check) const;
};

// The type of a session's condition that is True while its node is away or has a fault.
inline constexpr const char* kNodeTrouble = "NodeTrouble";

// Pending: it has a node, and nothing has been done there yet. Ended: nothing of it can be reached.
enum class SandboxPhase { kPending, kReady, kEnded };

struct SessionStatus {
  SandboxPhase phase = SandboxPhase::kPending;
  std::string node_name;
  std::string reason;  // of the end: IDLE_TIMEOUT, LIFETIME_OVER, SESSION_LOST
  std::string message;
  std::string created_by;
  std::optional<wire::Timestamp> expires_at;  // the end of its lifetime
  std::optional<wire::Timestamp> ready_at;
  std::optional<wire::Timestamp> ended_at;
  std::vector<Condition> conditions;
  std::optional<wire::Value> agent_sandbox;  // see controller/agent_sandboxes
  std::string claim;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("phase", &SessionStatus::phase, "Pending, Ready or Ended"),
        field("nodeName", &SessionStatus::node_name, "where it lives", {.omit_empty = true}),
        field("reason", &SessionStatus::reason, "why it ended", {.omit_empty = true}),
        field("message", &SessionStatus::message, "a sentence", {.omit_empty = true}),
        field("createdBy", &SessionStatus::created_by, "who made it", {.omit_empty = true}),
        field("expiresAt", &SessionStatus::expires_at, "the end of its lifetime"),
        field("readyAt", &SessionStatus::ready_at, "when its node had made it, or was well again"),
        field("endedAt", &SessionStatus::ended_at, "when it ended"),
        field(
            "conditions", &SessionStatus::conditions,
            "Ready: whether commands can be run in it; NodeTrouble: that its node is away or has a "
            "fault",
            {.omit_empty = true}),
        field("agentSandbox", &SessionStatus::agent_sandbox,
              "the spec of the agents.x-k8s.io Sandbox that it was made for"),
        field("claim", &SessionStatus::claim, "the SandboxClaim that it was made for",
              {.omit_empty = true}));
  }
};

struct Sandbox {
  static constexpr const char* kKind = "Sandbox";
  std::string api_version = kApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  SandboxSpec spec;
  SessionStatus status;
  static constexpr auto describe(auto&& visit) {
    return visit(field("apiVersion", &Sandbox::api_version, "paddock.dev/v1alpha1"),
                 field("kind", &Sandbox::kind, "Sandbox"),
                 field("metadata", &Sandbox::metadata, "identity", {.required = true}),
                 field("spec", &Sandbox::spec, "what was asked for"),
                 field("status", &Sandbox::status, "what is"));
  }
};

// The trouble of its node, as the session was last told of it; null: none. Of the conditions this
// one alone is stored: what is shown follows from it and the rest of the status.
const Condition* node_trouble(const SessionStatus& status);

// With everything that was left out filled in: the stored object says what holds.
SandboxSpec with_session_defaults(SandboxSpec spec);
// The same as a policy of the launcher, on top of the profile's own limits. Network and mounts are
// the session's alone.
SandboxPolicy session_policy(const SecurityOptions& security, const SandboxPolicy& profile);

// POST sandboxes/{name}/commands. Nothing of the policy can be said here.
struct CommandRequest {
  std::string command;  // checked against the session's commandBytes, not here
  std::string command_id;
  static constexpr auto describe(auto&& visit) {
    return visit(field("command", &CommandRequest::command, "text for the shell inside",
                       {.required = true, .min_length = 1}),
                 field("commandId", &CommandRequest::command_id,
                       "to cancel it by, chosen by the caller; one is made unless given",
                       {.omit_empty = true, .max_length = 63}));
  }
  void validate(wire::Check& check) const;
};

struct RunResult {
  std::string command_id;
  int64_t exit_code = 0;
  std::string out;
  std::string err;
  int64_t execution_time_ms = 0;
  std::optional<Truncated> truncated;
  std::optional<std::string> error_class;
  std::optional<std::string> code;
  std::string reason;
  std::vector<Denial> denials;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("commandId", &RunResult::command_id, "of this command"),
        field("exitCode", &RunResult::exit_code, "as a shell would show it"),
        field("stdout", &RunResult::out, "at most stdoutBytes of it"),
        field("stderr", &RunResult::err, "at most stderrBytes of it"),
        field("executionTimeMs", &RunResult::execution_time_ms, "from start to the last process"),
        field("truncated", &RunResult::truncated, "which stream was cut; absent if none was"),
        field("errorClass", &RunResult::error_class,
              "TIMEOUT, CANCELLED, CAPABILITY_DENIED or LIMIT_EXCEEDED"),
        field("code", &RunResult::code, "E_CAPABILITY_DENIED, E_LIMIT_MEMORY, …"),
        field("reason", &RunResult::reason, "why it did not succeed", {.omit_empty = true}),
        field("denials", &RunResult::denials, "what was refused", {.omit_empty = true}));
  }
};

// The caller's view of how a command ended.
RunResult run_result(SandboxResult result, std::string command_id);
// The result of a command whose text is longer than commandBytes. It never ran.
RunResult too_large_command(std::string command_id, int64_t limit);

}  // namespace paddock::contracts

template <>
struct paddock::wire::EnumNames<paddock::contracts::SandboxPhase> {
  using E = contracts::SandboxPhase;
  static constexpr std::array values = {std::pair{E::kPending, std::string_view("Pending")},
                                        std::pair{E::kReady, std::string_view("Ready")},
                                        std::pair{E::kEnded, std::string_view("Ended")}};
};

PADDOCK_EXTERN_CODEC(paddock::contracts::Sandbox);
PADDOCK_EXTERN_CODEC(paddock::contracts::CommandRequest);
PADDOCK_EXTERN_CODEC(paddock::contracts::RunResult);

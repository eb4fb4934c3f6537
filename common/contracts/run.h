// Run: one execution.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/agent_run.h"
#include "common/contracts/array.h"
#include "common/contracts/artifact.h"
#include "common/contracts/gang.h"
#include "common/contracts/media.h"
#include "common/contracts/meta.h"
#include "common/contracts/placement.h"
#include "common/contracts/sandbox_policy.h"
#include "common/contracts/sandbox_result.h"
#include "common/contracts/secret.h"
#include "common/contracts/tool_bundle.h"
#include "common/contracts/tool_token.h"
#include "common/contracts/tree.h"
#include "common/wire/nullable.h"

namespace paddock::contracts {

enum class RunType { kCompute, kScript, kGradle, kCode, kTest, kAgent, kCommand };
// Whether a caller's variables win over those of the profile, which is a start and no promise then.
constexpr bool replaces_variables(RunType type) { return type == RunType::kCommand; }
enum class RunPhase { kPending, kScheduled, kPreparing, kRunning, kSucceeded, kFailed, kCanceled };
enum class AcceleratorKind { kNvidia, kApple, kAny };

constexpr bool is_terminal(RunPhase phase) {
  return phase == RunPhase::kSucceeded || phase == RunPhase::kFailed ||
         phase == RunPhase::kCanceled;
}

struct Accelerators {
  AcceleratorKind kind = AcceleratorKind::kAny;
  int64_t count = 1;
  static constexpr auto describe(auto&& visit) {
    return visit(field("kind", &Accelerators::kind, "nvidia, apple or any"),
                 field("count", &Accelerators::count, "how many devices", {.min = 1, .max = 64}));
  }
};

// What a run that asks for no disk counts as: its records, its output, and a little.
inline constexpr int64_t kUsualDisk = int64_t{16} << 20;

struct Resources {
  std::optional<int64_t> cpu;
  std::optional<wire::Quantity> memory;
  std::optional<wire::Quantity> disk;
  std::optional<Accelerators> accelerators;
  static constexpr auto describe(auto&& visit) {
    return visit(field("cpu", &Resources::cpu, "whole cores, for all its processes together",
                       {.min = 1, .max = 4096}),
                 field("memory", &Resources::memory, "set aside on the node"),
                 field("disk", &Resources::disk,
                       "set aside on the node's disk for what the run writes there; 16Mi "
                       "unless given"),
                 field("accelerators", &Resources::accelerators, "devices the run needs"));
  }
};

// The caller's command: a list, or one string that is split at white space and quotes, never by a
// shell.
struct Command {
  std::vector<std::string> argv;
  std::string line;  // set when the caller sent a string; argv is then split from it
  static std::optional<Command> decode_value(const wire::Value& value, wire::Check& check);
  wire::Value encode_value() const;
  static wire::Value value_schema();
};
// Splits like a POSIX shell does for words and quotes, with no expansion at all.
Result<std::vector<std::string>> split_command(std::string_view line);

// A shared volume that the run reads at /volumes/NAME; the newest version unless one is named.
struct VolumeUse {
  std::string name;
  std::optional<int64_t> version;
  static constexpr auto describe(auto&& visit) {
    return visit(field("name", &VolumeUse::name, "name of a Volume of the run's namespace",
                       {.required = true, .max_length = 253}),
                 field("version", &VolumeUse::version, "the newest unless given", {.min = 1}));
  }
};

// Which files a run sees at /volumes/NAME: decided when it is created, and never again.
struct MountedVolume {
  std::string name;
  int64_t version = 0;
  Digest root;
  static constexpr auto describe(auto&& visit) {
    return visit(field("name", &MountedVolume::name, "of the Volume", {.required = true}),
                 field("version", &MountedVolume::version, "of its content", {.min = 1}),
                 field("root", &MountedVolume::root, "digest of the tree"));
  }
};

// How large the code and the input of a run of type `code` may be, which travel with the run
// itself.
inline constexpr size_t kMaxRunCodeBytes = 100'000;
inline constexpr size_t kMaxRunInputBytes = size_t{256} << 10;  // as JSON

struct RunSpec {
  RunType type = RunType::kCompute;
  Command command;   // of every type but `code`
  std::string code;  // of type `code`
  std::optional<wire::Value> input_data;
  std::string workspace;
  std::string workspace_root;  // of the tree meant; a run of other files is refused
  std::string requirements;
  ArtifactRequest artifacts;
  std::string publish;
  std::vector<VolumeUse> volumes;
  std::vector<SecretUse> secrets;
  std::string stdin_file;
  std::optional<wire::Duration> timeout;
  std::optional<wire::Wait> termination_grace;
  std::optional<Resources> resources;
  std::map<std::string, std::string> node_selector;
  std::vector<Toleration> tolerations;
  std::optional<EnforcementLevel> sandbox_level;
  int64_t priority = 0;
  std::optional<RetryPolicy> retry;
  std::optional<wire::Duration> deadline;
  std::string profile;
  SandboxPolicy sandbox;
  std::optional<MediaExecution> media_execution;
  std::optional<ToolTokenRequest> tool_token;
  std::optional<ToolBundle> tool_bundle;  // never stored here: see RunStatus
  std::vector<std::string> grants;
  std::optional<ArraySpec> array;
  std::optional<int64_t> nodes;
  std::vector<int64_t> member_ports;
  bool cancel_requested = false;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("type", &RunSpec::type, "command, compute, script, gradle, code, test or agent",
              {.required = true}),
        field("command", &RunSpec::command,
              "argv as a list, or one string split without a shell; required but for type code",
              {.omit_empty = true}),
        field("code", &RunSpec::code, "Python source, the program of a run of type code",
              {.omit_empty = true, .max_length = kMaxRunCodeBytes}),
        field("inputData", &RunSpec::input_data,
              "an object or null, which the code finds as `input_data`; at most 256 KiB as JSON"),
        field("workspace", &RunSpec::workspace, "name of the Workspace whose files the run reads",
              {.omit_empty = true, .max_length = 253}),
        field("workspaceRoot", &RunSpec::workspace_root,
              "digest of the tree that the Workspace must hold; whatever it holds unless given",
              {.omit_empty = true, .max_length = 64}),
        field("requirements", &RunSpec::requirements,
              "requirements.txt or package.json in the workspace",
              {.omit_empty = true, .max_length = 1024}),
        field("artifacts", &RunSpec::artifacts, "what comes back"),
        field("publish", &RunSpec::publish,
              "Volume that gets the artifacts as its next version if the run succeeds",
              {.omit_empty = true, .min_length = 1, .max_length = 253}),
        field("volumes", &RunSpec::volumes, "shared volumes that the run reads",
              {.omit_empty = true, .max_length = 16}),
        field("secrets", &RunSpec::secrets,
              "values of Secrets that the run gets, as files beneath /run/secrets or as variables",
              {.omit_empty = true, .max_length = kMaxSecretUses}),
        field("stdinFile", &RunSpec::stdin_file,
              "file of the workspace that the command reads as its standard input; empty: none",
              {.omit_empty = true, .max_length = 1024}),
        field("timeout", &RunSpec::timeout, "wall time; 30m unless given"),
        field("terminationGrace", &RunSpec::termination_grace,
              "from SIGTERM to SIGKILL when its time is up, it is canceled or its node is drained"),
        field("resources", &RunSpec::resources, "what the node must have free"),
        field("nodeSelector", &RunSpec::node_selector, "labels the node must carry",
              {.omit_empty = true, .max_length = 32}),
        field("tolerations", &RunSpec::tolerations, "taints that the run does not mind",
              {.omit_empty = true, .max_length = 32}),
        field("sandboxLevel", &RunSpec::sandbox_level,
              "the weakest level at which the node must have proven what the run needs"),
        field("priority", &RunSpec::priority, "higher goes first", {.min = -1000, .max = 1000}),
        field("retry", &RunSpec::retry, "how often, and after what; once unless given"),
        field("deadline", &RunSpec::deadline,
              "from creation; a run that has not ended by then is ended, also one that waits"),
        field("profile", &RunSpec::profile, "sandbox profile; by default the type's own",
              {.omit_empty = true}),
        field("sandbox", &RunSpec::sandbox, "policy on top of the profile"),
        field("mediaExecution", &RunSpec::media_execution, "always explicit in the stored object"),
        field("toolToken", &RunSpec::tool_token,
              "what the tool token in the run's environment is good for; none unless given"),
        field("toolBundle", &RunSpec::tool_bundle,
              "MCP servers of an agent run; not shown again, status.toolBundle has a summary"),
        field("grants", &RunSpec::grants,
              "names of the Grants that the run is held to; its creator's unless given",
              {.omit_empty = true, .max_length = 8}),
        field("array", &RunSpec::array,
              "the run is an array: all else in its spec is that of each of its elements"),
        field("nodes", &RunSpec::nodes,
              "the run is a gang of so many members, each on a node of its own, all placed at once "
              "or none; all else in its spec is that of each member",
              {.min = 1, .max = kMostMembers}),
        field("memberPorts", &RunSpec::member_ports,
              "TCP ports of each member that the others are to reach: refused as long as no node "
              "connects members (GANG_NETWORK_UNAVAILABLE)",
              {.omit_empty = true, .max_length = 16}),
        field("cancelRequested", &RunSpec::cancel_requested, "set by the cancel subresource"));
  }
  void validate(wire::Check& check) const;
};

inline bool is_gang(const RunSpec& spec) { return spec.nodes.has_value(); }
// That it is made up of runs, which are elements of an array or members of a gang. It is never
// placed itself.
inline bool is_array(const RunSpec& spec) { return spec.array.has_value() || is_gang(spec); }
// How many these are; 0: it is a run by itself.
inline int64_t element_count(const RunSpec& spec) {
  return spec.array ? spec.array->count : spec.nodes.value_or(0);
}

// The longest grace that any operator can allow.
inline constexpr Millis kLongestGrace = std::chrono::hours(24);

// POST runs/{name}/cancel; without a body: in its own time.
struct CancelRequest {
  bool now = false;
  static constexpr auto describe(auto&& visit) {
    return visit(field("now", &CancelRequest::now,
                       "SIGKILL at once, also when it is being ended already; else SIGTERM, "
                       "and SIGKILL after its terminationGrace"));
  }
};

// What a run executes, in one line for people. It never shows the code of a code run.
std::string command_text(const RunSpec& spec);

struct RunStatus {
  RunPhase phase = RunPhase::kPending;
  std::string reason;
  std::string message;
  std::vector<Condition> conditions;
  std::string node_name;
  int64_t attempt = 0;
  int64_t refusals = 0;  // attempts that a node could not even begin: they are not counted
  std::optional<wire::Quantity> disk_needed;   // once a node had no room for its files
  std::optional<wire::Timestamp> retry_at;     // of a pending run: not before
  std::optional<wire::Timestamp> deadline_at;  // spec.deadline as a time of the controller
  std::optional<Eviction> eviction;
  std::optional<bool> kill_now;  // its node ends it without what is left of its grace
  std::optional<wire::Timestamp> scheduled_at;
  std::optional<wire::Timestamp> started_at;
  std::optional<wire::Timestamp> finished_at;
  std::map<std::string, int64_t>
      timings_ms;                      // per phase: queue, workspace, environment, run, artifacts
  std::string workspace_root;          // digest of the tree the run reads, pinned at creation
  std::vector<MountedVolume> volumes;  // pinned at creation
  std::optional<int64_t> published_version;        // of spec.publish
  wire::NullableText preview_url;                  // of the workspace's entry file
  std::optional<SandboxPolicy> policy;             // effective
  std::map<std::string, std::string> environment;  // the profile's
  std::string created_by;
  std::vector<std::string> grants;                // that it is held to
  std::optional<ToolBundleSummary> tool_bundle;   // of an agent run
  std::vector<PendingToolUse> pending_tool_uses;  // of an agent run
  std::optional<bool> stdin_closed;               // of an agent run: no answer can reach it
  std::optional<SandboxResult> result;
  std::vector<Artifact> artifacts;
  std::vector<LeftOut> left_out;
  std::optional<ArrayStatus> array;     // of an array or a gang
  std::optional<ArrayElement> element;  // of one of its elements or members
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("phase", &RunStatus::phase, "where the run is in its life"),
        field("reason", &RunStatus::reason, "a stable word", {.omit_empty = true}),
        field("message", &RunStatus::message, "a sentence; a pending run says why no node fits",
              {.omit_empty = true}),
        field("conditions", &RunStatus::conditions, "Scheduled, Complete, Failed",
              {.omit_empty = true}),
        field("nodeName", &RunStatus::node_name, "who runs it", {.omit_empty = true}),
        field("attempt", &RunStatus::attempt, "how often it was bound to a node"),
        field("refusals", &RunStatus::refusals,
              "how many of these attempts a node could not begin; spec.retry does not count them",
              {.omit_empty = true, .min = 0}),
        field("diskNeeded", &RunStatus::disk_needed,
              "free disk that a node must have for the run's files, once one had not enough"),
        field("retryAt", &RunStatus::retry_at, "the next attempt is not made before"),
        field("deadlineAt", &RunStatus::deadline_at, "when spec.deadline is over"),
        field("eviction", &RunStatus::eviction, "why we are ending it on its node"),
        field("killNow", &RunStatus::kill_now,
              "whether its node kills it at once, without what is left of its grace"),
        field("scheduledAt", &RunStatus::scheduled_at, "when it was bound"),
        field("startedAt", &RunStatus::started_at, "when the command started"),
        field("finishedAt", &RunStatus::finished_at, "when it ended"),
        field("timingsMs", &RunStatus::timings_ms, "milliseconds per phase", {.omit_empty = true}),
        field("workspaceRoot", &RunStatus::workspace_root, "digest of the tree",
              {.omit_empty = true}),
        field("volumes", &RunStatus::volumes, "what the run sees of shared volumes",
              {.omit_empty = true}),
        field("publishedVersion", &RunStatus::published_version,
              "version of spec.publish that holds the artifacts"),
        field("previewUrl", &RunStatus::preview_url,
              "path of the workspace's entry file in this API; null if it has none"),
        field("policy", &RunStatus::policy, "effective sandbox policy"),
        field("environment", &RunStatus::environment,
              "of the profile, and of an element its index, of a member its rank; a Python "
              "environment and the policy "
              "add to it",
              {.omit_empty = true}),
        field("createdBy", &RunStatus::created_by, "whose token made it", {.omit_empty = true}),
        field("grants", &RunStatus::grants, "that the run is held to", {.omit_empty = true}),
        field("toolBundle", &RunStatus::tool_bundle,
              "MCP servers that an agent run has; nothing that is secret"),
        field("pendingToolUses", &RunStatus::pending_tool_uses,
              "what an agent run asked for and nobody has answered", {.omit_empty = true}),
        field("stdinClosed", &RunStatus::stdin_closed,
              "whether an agent run takes no answers any more"),
        field("result", &RunStatus::result, "how it ended and what was enforced"),
        field("artifacts", &RunStatus::artifacts, "what came back", {.omit_empty = true}),
        field("leftOut", &RunStatus::left_out, "what did not, and why", {.omit_empty = true}),
        field("array", &RunStatus::array,
              "of an array or a gang: how far its elements or members are"),
        field("element", &RunStatus::element,
              "of an element of an array or a member of a gang: whose it is"));
  }
};

struct Run {
  static constexpr const char* kKind = "Run";
  std::string api_version = kApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  RunSpec spec;
  RunStatus status;
  static constexpr auto describe(auto&& visit) {
    return visit(field("apiVersion", &Run::api_version, "paddock.dev/v1alpha1"),
                 field("kind", &Run::kind, "Run"),
                 field("metadata", &Run::metadata, "identity", {.required = true}),
                 field("spec", &Run::spec, "what is wanted", {.required = true}),
                 field("status", &Run::status, "what is observed"));
  }
};

}  // namespace paddock::contracts

namespace paddock::wire {
template <>
struct EnumNames<contracts::RunType> {
  using E = contracts::RunType;
  static constexpr std::array values = {std::pair{E::kCompute, std::string_view("compute")},
                                        std::pair{E::kScript, std::string_view("script")},
                                        std::pair{E::kGradle, std::string_view("gradle")},
                                        std::pair{E::kCode, std::string_view("code")},
                                        std::pair{E::kTest, std::string_view("test")},
                                        std::pair{E::kAgent, std::string_view("agent")},
                                        std::pair{E::kCommand, std::string_view("command")}};
};
template <>
struct EnumNames<contracts::RunPhase> {
  using E = contracts::RunPhase;
  static constexpr std::array values = {std::pair{E::kPending, std::string_view("Pending")},
                                        std::pair{E::kScheduled, std::string_view("Scheduled")},
                                        std::pair{E::kPreparing, std::string_view("Preparing")},
                                        std::pair{E::kRunning, std::string_view("Running")},
                                        std::pair{E::kSucceeded, std::string_view("Succeeded")},
                                        std::pair{E::kFailed, std::string_view("Failed")},
                                        std::pair{E::kCanceled, std::string_view("Canceled")}};
};
template <>
struct EnumNames<contracts::AcceleratorKind> {
  using E = contracts::AcceleratorKind;
  static constexpr std::array values = {std::pair{E::kNvidia, std::string_view("nvidia")},
                                        std::pair{E::kApple, std::string_view("apple")},
                                        std::pair{E::kAny, std::string_view("any")}};
};
}  // namespace paddock::wire

PADDOCK_EXTERN_CODEC(paddock::contracts::Run);
PADDOCK_EXTERN_CODEC(paddock::contracts::RunSpec);

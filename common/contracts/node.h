// Node: a host that executes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/reason.h"
#include "common/contracts/canary.h"
#include "common/contracts/ceilings.h"
#include "common/contracts/launch.h"
#include "common/contracts/meta.h"
#include "common/contracts/placement.h"

namespace paddock::contracts {

// Reasons of a node that is not ready: it is silent, and later its runs are given up.
inline constexpr Reason kLeaseExpired = "LEASE_EXPIRED";
inline constexpr Reason kNodeLost = "NODE_LOST";
// A condition of a node's status, and its reason while it is True: the disk has no room for runs.
inline constexpr const char* kDiskPressure = "DiskPressure";
inline constexpr Reason kNodeDiskFull = "NODE_DISK_FULL";
// Of a result only: its output was lost at the size that the agent may give a file.
inline constexpr Reason kNodeFileLimit = "NODE_FILE_LIMIT";
// Another one: the host has a fault that no run could live with, named by the reason.
inline constexpr const char* kHostFault = "HostFault";
inline constexpr Reason kDiskReadOnly = "NODE_DISK_READ_ONLY";
inline constexpr Reason kDiskFails = "NODE_DISK_FAILS";
inline constexpr Reason kDiskStalled = "NODE_DISK_STALLED";
inline constexpr Reason kLauncherGone = "LAUNCHER_GONE";
// Reason of a node that is not ready: its agent was stopped, and said so.
inline constexpr Reason kAgentStopped = "AGENT_STOPPED";

struct Device {
  std::string kind;  // nvidia, apple
  std::string id;
  std::string model;
  std::optional<wire::Quantity> memory = {};
  std::string fault = {};  // why no run gets it; empty while it is well
  static constexpr auto describe(auto&& visit) {
    return visit(field("kind", &Device::kind, "nvidia or apple"),
                 field("id", &Device::id, "stable on its node"),
                 field("model", &Device::model, "for people", {.omit_empty = true}),
                 field("memory", &Device::memory, "bytes, where the driver says"),
                 field("fault", &Device::fault, "why no run gets it; absent while it is well",
                       {.omit_empty = true}));
  }
};

struct Capacity {
  int64_t cpu = 0;
  wire::Quantity memory;
  wire::Quantity disk;
  int64_t max_runs = 4;
  static constexpr auto describe(auto&& visit) {
    return visit(field("cpu", &Capacity::cpu, "cores", {.min = 0}),
                 field("memory", &Capacity::memory, "bytes"),
                 field("disk", &Capacity::disk, "free bytes for workspaces"),
                 field("maxRuns", &Capacity::max_runs, "runs at once", {.min = 1, .max = 100'000}));
  }
};

struct NodeSpec {
  bool unschedulable = false;
  std::vector<Taint> taints;
  std::optional<Drain> drain;
  static constexpr auto describe(auto&& visit) {
    return visit(field("unschedulable", &NodeSpec::unschedulable, "cordoned: gets nothing new"),
                 field("taints", &NodeSpec::taints, "gets only runs that tolerate them",
                       {.omit_empty = true, .max_length = 32}),
                 field("drain", &NodeSpec::drain, "being emptied"));
  }
};

// What the controller makes of a node that could not begin what it was given.
struct CoolDown {
  std::optional<wire::Timestamp> until;    // it gets nothing new before; absent: it has rested
  std::optional<wire::Timestamp> last_at;  // when it failed last
  int64_t failures = 0;                    // in a row, whatever their reasons
  std::string reason;
  std::string message;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("until", &CoolDown::until, "it gets no new runs before; absent: it has rested"),
        field("lastAt", &CoolDown::last_at, "when it failed last"),
        field("failures", &CoolDown::failures, "how often in a row it could begin no run",
              {.min = 0}),
        field("reason", &CoolDown::reason, "of that", {.omit_empty = true}),
        field("message", &CoolDown::message, "of that", {.omit_empty = true}));
  }
};

struct NodeStatus {
  bool ready = false;
  std::string reason;
  std::string message;
  Capacity capacity;
  std::optional<wire::Quantity> allocatable_disk;  // of an agent of this release
  std::vector<Condition> conditions;
  std::optional<CoolDown> cool_down;  // the controller's
  std::vector<std::string> cpu_features;
  std::vector<Device> devices;
  std::vector<Capability> capabilities;
  std::vector<Canary> canaries;
  std::optional<Ceilings> ceilings;
  SandboxLimits largest_limits;
  int64_t max_sessions = 0;
  std::string agent_version;
  std::optional<int64_t> protocol_version;  // as the controller heard it
  std::string os;
  std::string arch;
  std::optional<wire::Timestamp> last_seen;
  std::optional<wire::Timestamp> ends_at;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("ready", &NodeStatus::ready, "holds a lease"),
        field("reason", &NodeStatus::reason, "LEASE_EXPIRED, NODE_LOST, AGENT_STOPPED",
              {.omit_empty = true}),
        field("message", &NodeStatus::message, "why not", {.omit_empty = true}),
        field("capacity", &NodeStatus::capacity, "what the host has"),
        field("allocatableDisk", &NodeStatus::allocatable_disk,
              "bytes of disk that its runs may ask for together: what is free beyond minFree, and "
              "what they have written of what they asked for"),
        field(
            "conditions", &NodeStatus::conditions,
            "Ready: whether it holds a lease and can begin runs; DiskPressure: whether its disk is "
            "too full for them; HostFault: whether it can begin none",
            {.omit_empty = true, .max_length = 16}),
        field("coolDown", &NodeStatus::cool_down,
              "what the controller makes of runs that it could not begin, until one begins"),
        field("cpuFeatures", &NodeStatus::cpu_features,
              "instructions that programs are built for, as the kernel names them, sorted",
              {.omit_empty = true, .max_length = 64}),
        field("devices", &NodeStatus::devices, "accelerators"),
        field("capabilities", &NodeStatus::capabilities,
              "what the sandbox can enforce here, proven at start"),
        field("canaries", &NodeStatus::canaries,
              "forbidden things that were tried inside; a run that needs one which failed goes "
              "elsewhere",
              {.omit_empty = true, .max_length = 256}),
        field("ceilings", &NodeStatus::ceilings, "what its operator lets a policy ask for"),
        field("largestLimits", &NodeStatus::largest_limits,
              "the most that a policy may ask for of what its operator named no ceiling for"),
        field("maxSessions", &NodeStatus::max_sessions,
              "sandbox sessions at once; 0: it takes none", {.min = 0, .max = 1'000'000}),
        field("agentVersion", &NodeStatus::agent_version, "version of the agent",
              {.omit_empty = true}),
        field("protocolVersion", &NodeStatus::protocol_version,
              "of what the agent and the controller say to each other, as the agent speaks it",
              {.min = 0}),
        field("os", &NodeStatus::os, "linux or darwin", {.omit_empty = true}),
        field("arch", &NodeStatus::arch, "amd64 or arm64", {.omit_empty = true}),
        field("lastSeen", &NodeStatus::last_seen, "last heartbeat"),
        field("endsAt", &NodeStatus::ends_at,
              "when its host goes away: it gets only runs that end before; absent: it stays"));
  }
};

struct Node {
  static constexpr const char* kKind = "Node";
  std::string api_version = kApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  NodeSpec spec;
  NodeStatus status;
  static constexpr auto describe(auto&& visit) {
    return visit(field("apiVersion", &Node::api_version, "paddock.dev/v1alpha1"),
                 field("kind", &Node::kind, "Node"),
                 field("metadata", &Node::metadata, "identity", {.required = true}),
                 field("spec", &Node::spec, "what the operator wants"),
                 field("status", &Node::status, "what the agent reports"));
  }
};

// What binds the policies of its runs.
NodeBounds bounds_of(const NodeStatus& status);

// How many of its devices runs can get.
int64_t well_devices(const NodeStatus& status);

// What it says of its disk while that is too full for runs; null while there is room.
const Condition* disk_pressure(const NodeStatus& status);
// Its fault that no run could live with; null while there is none.
const Condition* host_fault(const NodeStatus& status);

// Why it can take no new runs: one of the two conditions above, while that is True; null otherwise.
const Condition* unfit(const NodeStatus& status);

// What keeps new runs away from it while it is ready, in words of lists: DiskFull, Faulty, Resting,
// SchedulingDisabled, Draining; Tainted, which keeps away only those that do not tolerate it.
std::vector<std::string_view> closed_by(const Node& node);
// All of that: `Ready`, `NotReady,SchedulingDisabled`, `Lost`.
std::string status_words(const Node& node);
// Whether it is ready and begins runs: nothing but taints keeps some away.
bool is_open(const Node& node);

// Names the disk's fault in an error of a node's work: no space left (or no quota) becomes
// NODE_DISK_FULL, a disk that is read-only or fails becomes NODE_DISK_READ_ONLY or NODE_DISK_FAILS,
// and any other error stays as it is.
Error name_full_disk(Error error);
// Whether the cause is the node's own, whatever the run was: its disk, or its launcher.
bool is_host_fault(const Error& named);

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::Node);

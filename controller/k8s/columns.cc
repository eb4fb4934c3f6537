#include "controller/k8s/columns.h"

#include <algorithm>
#include <array>
#include <span>

#include "common/base/text.h"

namespace paddock::k8s {
namespace {

using wire::Value;

struct Column {
  const char* name;
  const char* type;
  const char* description;
  int priority;  // 0: always; 1: wide
};

constexpr std::array<Column, 13> kRunColumns = {{
    {"Name", "string", "name of the run", 0},
    {"Phase", "string", "where the run is in its life", 0},
    {"RC", "string", "exit code of its command", 0},
    {"Node", "string", "who runs it", 0},
    {"Duration", "string", "how long the command has run", 0},
    {"Age", "date", "since it was created", 0},
    {"Reason", "string", "why it is in this phase", 1},
    {"Priority", "integer", "higher goes first", 1},
    {"Type", "string", "what kind of work it is", 1},
    {"Workspace", "string", "the files it reads", 1},
    {"Attempt", "integer", "how often it was given to a node", 1},
    {"Command", "string", "what it executes", 1},
    {"Message", "string", "a sentence about its phase", 1},
}};
constexpr std::array<Column, 6> kWorkspaceColumns = {{
    {"Name", "string", "name of the workspace", 0},
    {"Files", "integer", "how many files it holds", 0},
    {"Size", "string", "bytes together", 0},
    {"Age", "date", "since it was created", 0},
    {"Source", "string", "where it came from", 1},
    {"Root", "string", "digest of its tree", 1},
}};
constexpr std::array<Column, 8> kVolumeColumns = {{
    {"Name", "string", "name of the volume", 0},
    {"Version", "integer", "the newest", 0},
    {"Files", "integer", "how many the newest holds", 0},
    {"Size", "string", "bytes of the newest together", 0},
    {"Age", "date", "since it was created", 0},
    {"Kept", "integer", "how many versions are kept", 1},
    {"Run", "string", "who published the newest", 1},
    {"Root", "string", "digest of the newest's tree", 1},
}};
constexpr std::array<Column, 7> kToolTokenColumns = {{
    {"Name", "string", "name of the tool token", 0},
    {"Run", "string", "the run that it belongs to", 0},
    {"Phase", "string", "Active, Expired or Revoked", 0},
    {"Operations", "string", "what it is good for", 0},
    {"Age", "date", "since it was created", 0},
    {"Reason", "string", "why it is not active any more", 1},
    {"Ends-In", "string", "what is left of its lifetime", 1},
}};
constexpr std::array<Column, 5> kSecretColumns = {{
    {"Name", "string", "name of the secret", 0},
    {"Values", "integer", "how many it has", 0},
    {"Age", "date", "since it was created", 0},
    {"Names", "string", "of the values", 1},
    {"Type", "string", "as its maker said", 1},
}};
constexpr std::array<Column, 7> kGrantColumns = {{
    {"Name", "string", "name of the grant", 0},
    {"Media", "string", "the surfaces that it gives", 0},
    {"Accelerators", "string", "that a run under it may have", 0},
    {"Quota", "string", "in use and allowed, of all runs of the namespace", 0},
    {"Age", "date", "since it was created", 0},
    {"Parent", "string", "the grant that it is a part of", 1},
    {"Subjects", "string", "callers that have it", 1},
}};
constexpr std::array<Column, 6> kSandboxColumns = {{
    {"Name", "string", "name of the session", 0},
    {"Phase", "string", "Pending, Ready or Ended", 0},
    {"Node", "string", "where it lives", 0},
    {"Age", "date", "since it was created", 0},
    {"Reason", "string", "why it ended, or the trouble of its node", 1},
    {"Ends-In", "string", "what is left of its lifetime", 1},
}};
constexpr std::array<Column, 13> kNodeColumns = {{
    {"Name", "string", "name of the node", 0},
    {"Status", "string", "whether it holds a lease and takes new runs", 0},
    {"CPU", "integer", "cores", 0},
    {"Memory", "string", "bytes", 0},
    {"Disk", "string", "bytes that its runs may ask for together", 0},
    {"Devices", "integer", "accelerators", 0},
    {"Age", "date", "since it was enrolled", 0},
    {"OS", "string", "operating system", 1},
    {"Arch", "string", "processor", 1},
    {"Version", "string", "of the agent", 1},
    {"Last-Seen", "string", "since its last call", 1},
    {"Proven", "string", "how much of what a sandbox enforces holds there", 1},
    {"Message", "string", "a sentence about its status", 1},
}};

constexpr std::array<Column, 6> kEventColumns = {{
    {"Last Seen", "string", "since it happened", 0},
    {"Type", "string", "Normal or Warning", 0},
    {"Reason", "string", "a stable word", 0},
    {"Object", "string", "what it is about", 0},
    {"Message", "string", "a sentence", 0},
    {"Name", "string", "name of the event", 1},
}};
constexpr std::array<Column, 6> kPodColumns = {{
    {"Name", "string", "name of the run", 0},
    {"Ready", "string", "whether its command runs", 0},
    {"Status", "string", "the run's phase", 0},
    {"Restarts", "integer", "always 0", 0},
    {"Age", "date", "since the run was created", 0},
    {"Node", "string", "who runs it", 1},
}};

std::span<const Column> columns_of(std::string_view kind) {
  if (kind == contracts::Run::kKind) return kRunColumns;
  if (kind == contracts::Workspace::kKind) return kWorkspaceColumns;
  if (kind == contracts::Volume::kKind) return kVolumeColumns;
  if (kind == contracts::ToolToken::kKind) return kToolTokenColumns;
  if (kind == contracts::Sandbox::kKind) return kSandboxColumns;
  if (kind == contracts::Grant::kKind) return kGrantColumns;
  if (kind == contracts::Secret::kKind) return kSecretColumns;
  if (kind == "Event") return kEventColumns;
  if (kind == "Pod") return kPodColumns;
  return kNodeColumns;
}

std::string duration(const contracts::RunStatus& status, WallTime now) {
  if (!status.started_at) return "<none>";
  return age(status.started_at, status.finished_at ? status.finished_at->value : now);
}

// For an array, this adds how many of its elements have succeeded, as kubectl shows it for a Job.
std::string phase_text(const contracts::Run& run) {
  const auto& array = run.status.array;
  std::string text(wire::enum_name(run.status.phase));
  if (array) text += cat(" ", array->succeeded, "/", contracts::element_count(run.spec));
  return text;
}

std::string ends_in(const std::optional<wire::Timestamp>& end, bool lives, WallTime now) {
  return lives && end ? format_age(end->value - now) : "<none>";
}

std::string proven(const contracts::NodeStatus& status) {
  const auto& all = status.capabilities;
  if (all.empty()) return "<none>";
  return cat(std::ranges::count_if(all, &contracts::Capability::available), "/", all.size());
}

}  // namespace

std::string age(const std::optional<wire::Timestamp>& from, WallTime to) {
  return from ? format_age(to - from->value) : "<unknown>";
}

std::string or_none(const std::string& text) { return text.empty() ? "<none>" : text; }

Value cells(const contracts::Run& run, WallTime now) {
  return Value::Array{run.metadata.name,
                      phase_text(run),
                      run.status.result ? std::to_string(run.status.result->rc) : "<none>",
                      or_none(run.status.node_name),
                      duration(run.status, now),
                      age(run.metadata.creation_timestamp, now),
                      or_none(run.status.reason),
                      run.spec.priority,
                      wire::enum_name(run.spec.type),
                      or_none(run.spec.workspace),
                      run.status.attempt,
                      contracts::command_text(run.spec),
                      or_none(run.status.message)};
}

Value cells(const contracts::Workspace& workspace, WallTime now) {
  return Value::Array{workspace.metadata.name,
                      workspace.status.files,
                      format_bytes(workspace.status.bytes),
                      age(workspace.metadata.creation_timestamp, now),
                      or_none(workspace.spec.source),
                      or_none(workspace.status.root.substr(0, 12))};
}

Value cells(const contracts::Volume& volume, WallTime now) {
  const auto& versions = volume.status.versions;
  const contracts::VolumeVersion newest =
      versions.empty() ? contracts::VolumeVersion{} : versions.back();
  return Value::Array{volume.metadata.name,
                      newest.version,
                      newest.files,
                      format_bytes(newest.bytes),
                      age(volume.metadata.creation_timestamp, now),
                      versions.size(),
                      or_none(newest.run),
                      or_none(newest.root.substr(0, 12))};
}

Value cells(const contracts::ToolToken& token, WallTime now) {
  const contracts::ToolTokenStatus status = contracts::status_at(token.status, now);
  return Value::Array{token.metadata.name,
                      token.spec.run,
                      wire::enum_name(status.phase),
                      join(token.spec.operations, ","),
                      age(token.metadata.creation_timestamp, now),
                      status.reason ? wire::enum_name(*status.reason) : "<none>",
                      ends_in(status.expires_at, !status.reason, now)};
}

Value cells(const contracts::Secret& secret, WallTime now) {
  std::vector<std::string> names;
  for (const auto& each : secret.status.values) names.push_back(each.name);
  return Value::Array{secret.metadata.name, static_cast<int64_t>(names.size()),
                      age(secret.metadata.creation_timestamp, now), or_none(join(names, ",")),
                      or_none(secret.type)};
}

Value cells(const contracts::Sandbox& session, WallTime now) {
  const contracts::SessionStatus& status = session.status;
  const contracts::Condition* trouble = contracts::node_trouble(status);
  const bool lives = status.phase != contracts::SandboxPhase::kEnded;
  return Value::Array{session.metadata.name,
                      wire::enum_name(status.phase),
                      or_none(status.node_name),
                      age(session.metadata.creation_timestamp, now),
                      or_none(trouble == nullptr ? status.reason : trouble->reason),
                      ends_in(status.expires_at, lives, now)};
}

Value cells(const contracts::Grant& grant, WallTime now) {
  std::vector<std::string> surfaces;
  std::vector<std::string> devices;
  if (grant.spec.media) {
    for (const auto each : grant.spec.media->surfaces) surfaces.emplace_back(wire::enum_name(each));
    if (surfaces.empty()) surfaces.emplace_back("all");
  }
  if (grant.spec.compute) {
    for (const auto& each : grant.spec.compute->accelerators)
      devices.push_back(cat(wire::enum_name(each.kind), "=", each.count));
  }
  const auto quota = contracts::quota_of(grant.spec);
  return Value::Array{grant.metadata.name,
                      or_none(join(surfaces, ",")),
                      or_none(join(devices, ",")),
                      or_none(quota ? contracts::quota_text(*quota, grant.status.quota_used) : ""),
                      age(grant.metadata.creation_timestamp, now),
                      or_none(grant.spec.parent),
                      or_none(join(grant.spec.subjects, ","))};
}

Value cells(const contracts::Node& node, WallTime now) {
  const auto& disk = node.status.allocatable_disk;
  return Value::Array{node.metadata.name,
                      contracts::status_words(node),
                      node.status.capacity.cpu,
                      format_bytes(node.status.capacity.memory.bytes),
                      or_none(disk ? format_bytes(disk->bytes) : ""),
                      contracts::well_devices(node.status),
                      age(node.metadata.creation_timestamp, now),
                      or_none(node.status.os),
                      or_none(node.status.arch),
                      or_none(node.status.agent_version),
                      age(node.status.last_seen, now),
                      proven(node.status),
                      or_none(node.status.message)};
}

Value columns(std::string_view kind) {
  Value out;
  for (const Column& column : columns_of(kind)) {
    out.push_back(k8s::column(column.name, column.type, column.description, column.priority));
  }
  return out;
}

Value column(std::string_view name, std::string_view type, std::string_view description,
             int64_t priority) {
  return Value::Object{{"name", name},
                       {"type", type},
                       {"format", name == "Name" ? "name" : ""},
                       {"description", description},
                       {"priority", priority}};
}

}  // namespace paddock::k8s

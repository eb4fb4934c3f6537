#include "cli/output/describe.h"

#include <utility>

#include "cli/output/run_report.h"
#include "cli/terminal/elapsed.h"
#include "cli/terminal/table.h"
#include "cli/terminal/terminal.h"
#include "common/base/text.h"
#include "common/contracts/limit_field.h"
#include "common/wire/yaml.h"

namespace paddock::cli {
namespace {

constexpr size_t kManyLines = 1000;

// `Name:   value` lines, values aligned; lines without a value are left out.
class Lines {
 public:
  void add(std::string_view name, const std::string& value) {
    if (value.empty()) return;
    std::string title = cat(name, ":");
    for (std::string& line : split(value, '\n'))
      table_.rows.push_back({std::exchange(title, " "), std::move(line)});
  }
  std::string text(const std::string& indent = "") const { return render(table_, indent); }

 private:
  Table table_;
};

std::string section(std::string_view title, std::string_view body) {
  return body.empty() ? "" : cat(title, ":\n", body);
}

std::string when(const std::optional<wire::Timestamp>& time, WallTime now) {
  if (!time) return "";
  return cat(format_time(time->value), " (", format_age(now - time->value), " ago)");
}

std::string pairs(const std::map<std::string, std::string>& map) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : map) parts.push_back(cat(key, "=", value));
  return join(parts, ", ");
}

void add_meta(Lines& lines, const contracts::ObjectMeta& meta, WallTime now) {
  lines.add("Name", meta.name);
  lines.add("Namespace", meta.name_space);
  lines.add("Labels", pairs(meta.labels));
  lines.add("Annotations", pairs(meta.annotations));
  lines.add("Created", when(meta.creation_timestamp, now));
  lines.add("Being deleted since", when(meta.deletion_timestamp, now));
  lines.add("Finalizers", join(meta.finalizers, ", "));
  lines.add("UID", meta.uid);
}

// Shortens a message of several lines, because all of them are shown under Status.
std::string first_line(const std::string& text) {
  const size_t end = text.find('\n');
  return end == text.npos ? text : cat(text.substr(0, end), " …");
}

std::string conditions_text(const std::vector<contracts::Condition>& conditions) {
  if (conditions.empty()) return "";
  Table table{{"TYPE", "STATUS", "REASON", "MESSAGE"}, {}};
  for (const auto& each : conditions)
    table.rows.push_back({each.type, each.status, each.reason, first_line(each.message)});
  return render(table, "  ");
}

std::string resources_text(const std::optional<contracts::Resources>& resources) {
  if (!resources) return "";
  std::vector<std::string> parts;
  if (resources->cpu) parts.push_back(cat("cpu ", *resources->cpu));
  if (resources->memory) parts.push_back(cat("memory ", format_quantity(resources->memory->bytes)));
  if (resources->disk) parts.push_back(cat("disk ", format_quantity(resources->disk->bytes)));
  if (const auto& wanted = resources->accelerators) {
    parts.push_back(cat("accelerator ", wire::enum_name(wanted->kind), "=", wanted->count));
  }
  return join(parts, ", ");
}

std::string volumes_text(const std::vector<contracts::VolumeUse>& volumes) {
  std::vector<std::string> parts;
  for (const contracts::VolumeUse& each : volumes)
    parts.push_back(each.version ? cat(each.name, "@", *each.version) : each.name);
  return join(parts, ", ");
}

std::string array_spec_text(const std::optional<contracts::ArraySpec>& array) {
  if (!array) return "";
  std::string text = cat(array->count, array->count == 1 ? " element" : " elements");
  if (array->max_parallel) text += cat(", at most ", *array->max_parallel, " at once");
  if (array->max_failed_indexes)
    text += cat(", ended once more than ", *array->max_failed_indexes, " have failed");
  return text;
}

std::string array_text(const std::optional<contracts::ArrayStatus>& array) {
  if (!array) return "";
  Lines lines;
  lines.add("Pending", cat(array->pending));
  lines.add("Active", cat(array->active));
  lines.add("Succeeded", cat(array->succeeded));
  lines.add("Failed", cat(array->failed));
  lines.add("Canceled", cat(array->canceled));
  lines.add("Completed indexes", array->completed_indexes);
  lines.add("Failed indexes", array->failed_indexes);
  lines.add("Canceled indexes", array->canceled_indexes);
  if (const auto& first = array->first_failure) {
    lines.add("First failure", cat(first->run, first->rc ? cat(", rc ", *first->rc) : "",
                                   first->message.empty() ? "" : ": ", first->message));
  }
  return lines.text("  ");
}

std::string spec_text(const contracts::RunSpec& spec) {
  Lines lines;
  lines.add("Type", std::string(wire::enum_name(spec.type)));
  lines.add("Command",
            spec.command.line.empty() ? contracts::command_text(spec) : spec.command.line);
  lines.add("Array", array_spec_text(spec.array));
  lines.add("Nodes", spec.nodes ? cat(*spec.nodes, ", one for each member, all at once") : "");
  lines.add("Workspace", spec.workspace);
  lines.add("Requirements", spec.requirements);
  lines.add("Artifact folders", join(spec.artifacts.dirs, ", "));
  lines.add("Publish", spec.publish);
  lines.add("Volumes", volumes_text(spec.volumes));
  lines.add("Timeout", spec.timeout ? format_duration(spec.timeout->value) : "");
  lines.add("Grace", spec.termination_grace ? format_duration(spec.termination_grace->value) : "");
  lines.add("Resources", resources_text(spec.resources));
  lines.add("Node selector", pairs(spec.node_selector));
  lines.add("Profile", spec.profile);
  lines.add("Cancel requested", spec.cancel_requested ? "yes" : "");
  return lines.text("  ");
}

std::string status_text(const contracts::RunStatus& status, WallTime now) {
  Lines lines;
  const bool pending = status.phase == contracts::RunPhase::kPending;
  lines.add("Phase", std::string(wire::enum_name(status.phase)));
  lines.add("Reason", status.reason);
  lines.add(pending ? "Why pending" : "Message", status.message);
  lines.add("Node", status.node_name);
  if (const auto& element = status.element; element && element->members) {
    lines.add("Rank", cat(element->index, " of ", *element->members, " in gang ", element->array));
  } else if (element) {
    lines.add("Element", cat(element->index, " of array ", element->array));
  }
  lines.add("Attempt", status.attempt > 0 ? cat(status.attempt) : "");
  if (status.retry_at) lines.add("Next attempt", format_time(status.retry_at->value));
  if (status.deadline_at) lines.add("Deadline", format_time(status.deadline_at->value));
  if (status.eviction)
    lines.add("Eviction", cat(status.eviction->reason, ": ", status.eviction->message));
  lines.add("Scheduled", when(status.scheduled_at, now));
  lines.add("Started", when(status.started_at, now));
  lines.add("Finished", when(status.finished_at, now));
  std::vector<std::string> timings;
  for (const auto& [phase, ms] : status.timings_ms)
    timings.push_back(cat(phase, " ", elapsed_text(Millis(ms))));
  lines.add("Timings", join(timings, ", "));
  lines.add("Workspace root", status.workspace_root);
  for (const contracts::MountedVolume& each : status.volumes)
    lines.add(cat("Volume ", each.name), cat("version ", each.version, ", ", each.root));
  lines.add("Published version", status.published_version ? cat(*status.published_version) : "");
  return lines.text("  ");
}

std::string usage_text(const contracts::Usage& usage) {
  std::vector<std::string> parts = {cat("cpu ", elapsed_text(Millis(usage.cpu_ms)))};
  if (usage.peak_memory_bytes)
    parts.push_back(cat("peak memory ", format_bytes(*usage.peak_memory_bytes)));
  if (usage.peak_pids) parts.push_back(cat("peak pids ", *usage.peak_pids));
  if (usage.accelerator_ms)
    parts.push_back(cat("accelerators ", elapsed_text(Millis(*usage.accelerator_ms))));
  parts.push_back(cat("stdout ", format_bytes(usage.stdout_bytes)));
  parts.push_back(cat("stderr ", format_bytes(usage.stderr_bytes)));
  return join(parts, ", ");
}

// Whether the log was cut, by its limit or because the node had no room for it.
bool is_log_cut(const contracts::SandboxResult& result) {
  const contracts::Truncated cut =
      contracts::output_was_lost(result) ? result.truncated : contracts::cut_by_limit(result);
  return cut.out || cut.err;
}

std::string result_text(const contracts::SandboxResult& result) {
  Lines lines;
  lines.add("Status", std::string(wire::enum_name(result.status)));
  lines.add("Rc", cat(result.rc));
  lines.add("Reason", result.reason);
  lines.add("Error class", result.error_class.value_or(""));
  lines.add("Code", result.code.value_or(""));
  lines.add("Duration", elapsed_text(Millis(result.duration_ms)));
  lines.add("Usage", usage_text(result.usage));
  lines.add("Cut output", is_log_cut(result) ? "yes" : "");
  return lines.text("  ");
}

std::string artifacts_text(const std::vector<contracts::Artifact>& artifacts) {
  if (artifacts.empty()) return "";
  Table table{{"PATH", "SIZE", "SHA-256"}, {}};
  for (const auto& each : artifacts)
    table.rows.push_back({each.path, format_bytes(each.size), each.digest.substr(0, 12)});
  return render(table, "  ");
}

}  // namespace

std::string describe_run(const contracts::Run& run, WallTime now) {
  Lines head;
  add_meta(head, run.metadata, now);
  std::string out = head.text();
  out += section("Spec", spec_text(run.spec));
  out += section("Status", status_text(run.status, now));
  out +=
      section(contracts::is_gang(run.spec) ? "Members" : "Elements", array_text(run.status.array));
  out += section("Conditions", conditions_text(run.status.conditions));
  if (const auto& result = run.status.result) {
    out += section("Result", result_text(*result));
    out += section("Enforced", enforced_text(*result, "  "));
    out += section("Denials", denials_text(result->denials, "  "));
    out += section("Not reached", unreached_text(*result, "  "));
  }
  out += section("Artifacts", artifacts_text(run.status.artifacts));
  out += section("Left out", left_out_text(run.status.left_out, kManyLines, "  "));
  return out;
}

std::string describe_workspace(const contracts::Workspace& workspace, WallTime now) {
  Lines lines;
  add_meta(lines, workspace.metadata, now);
  lines.add("Source", workspace.spec.source);
  lines.add("Files", cat(workspace.status.files));
  lines.add("Size", format_bytes(workspace.status.bytes));
  lines.add("Root", workspace.status.root);
  return lines.text();
}

std::string describe_volume(const contracts::Volume& volume, WallTime now) {
  Lines lines;
  add_meta(lines, volume.metadata, now);
  Table table{{"VERSION", "FILES", "SIZE", "AGE", "RUN", "ROOT"}, {}};
  for (const contracts::VolumeVersion& each : volume.status.versions) {
    table.rows.push_back({cat(each.version), cat(each.files), format_bytes(each.bytes),
                          each.published_at ? format_age(now - each.published_at->value) : "",
                          each.run, each.root.substr(0, 12)});
  }
  return lines.text() + section("Versions", render(table, "  "));
}

// Tells how many runs in a row the node could not begin. The count ends with the first that begins.
std::string cool_down_text(const std::optional<contracts::CoolDown>& cool_down, WallTime now) {
  if (!cool_down) return "";
  const std::string rest = cool_down->until
                               ? cat("gets no runs until ", format_time(cool_down->until->value))
                               : "is tried again";
  return cat(rest, ": ", cool_down->failures, " in a row could not begin, the last one ",
             when(cool_down->last_at, now), ": ", cool_down->reason, ": ", cool_down->message);
}

std::string describe_node(const contracts::Node& node, WallTime now) {
  Lines lines;
  add_meta(lines, node.metadata, now);
  lines.add("Ready", node.status.ready ? "yes" : "no");
  lines.add("Message", node.status.message);
  lines.add("Reason", node.status.reason);
  if (const auto* unfit = contracts::unfit(node.status))
    lines.add(unfit->type, cat(unfit->reason, ": ", unfit->message));
  lines.add("Cool-down", cool_down_text(node.status.cool_down, now));
  lines.add("Unschedulable", node.spec.unschedulable ? "yes" : "");
  std::vector<std::string> taints;
  for (const auto& taint : node.spec.taints)
    taints.push_back(cat(taint.key, "=", taint.value, ":", taint.effect));
  lines.add("Taints", join(taints, ", "));
  if (const auto& drain = node.spec.drain)
    lines.add("Draining", cat("since ", when(drain->requested_at, now), ", what is left ends at ",
                              format_time(drain->evict_at.value)));
  lines.add("System", cat(node.status.os, "/", node.status.arch));
  lines.add("Agent", node.status.agent_version);
  if (const auto protocol = node.status.protocol_version)
    lines.add("Protocol", cat(*protocol, " (of what it and the controller say to each other)"));
  lines.add("Last seen", when(node.status.last_seen, now));
  const contracts::Capacity& capacity = node.status.capacity;
  lines.add("Capacity",
            cat("cpu ", capacity.cpu, ", memory ", format_bytes(capacity.memory.bytes), ", disk ",
                format_bytes(capacity.disk.bytes), ", runs ", capacity.max_runs));
  if (const auto& disk = node.status.allocatable_disk)
    lines.add("Disk for runs", cat(format_bytes(disk->bytes), ", less what placed ones ask for"));
  if (const auto& end = node.status.ends_at)
    lines.add("Ends at", cat(format_time(end->value), ": it gets only runs that end before"));
  lines.add("CPU features", join(node.status.cpu_features, " "));
  std::string out = lines.text();
  Table devices{{"KIND", "ID", "MODEL", "MEMORY", "STATE"}, {}};
  for (const auto& each : node.status.devices) {
    devices.rows.push_back({each.kind, each.id, each.model,
                            each.memory ? format_bytes(each.memory->bytes) : "",
                            each.fault.empty() ? "well" : each.fault});
  }
  if (!devices.rows.empty()) out += section("Devices", render(devices, "  "));
  Table proven{{"CAPABILITY", "PROVEN", "MECHANISM", "DETAILS"}, {}};
  for (const auto& each : node.status.capabilities) {
    proven.rows.push_back({each.name, each.available ? "yes" : "no", each.mechanism, each.details});
  }
  if (!proven.rows.empty()) out += section("Sandbox", render(proven, "  "));
  Table failed{{"CANARY", "ATTEMPT", "EXPECTED", "GOT", "REMEDY"}, {}};
  for (const auto& each : node.status.canaries) {
    if (!each.passed)
      failed.rows.push_back({each.name, each.attempt, each.expected, each.got, each.remedy});
  }
  if (!failed.rows.empty()) out += section("Failed canaries", render(failed, "  "));
  return out;
}

}  // namespace paddock::cli

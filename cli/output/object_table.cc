#include "cli/output/object_table.h"

#include <algorithm>
#include <optional>

#include "cli/output/label_columns.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "common/contracts/compute_quota.h"
#include "common/contracts/node.h"

namespace paddock::cli {
namespace {

using wire::Value;

// A field as text, whatever its type; empty when absent.
std::string field_text(const Value& object, std::string_view path) {
  const Value* value = object.at(path);
  if (value == nullptr) return "";
  if (const auto* text = value->string()) return *text;
  if (const auto* number = value->integer()) return cat(*number);
  if (const auto* flag = value->boolean()) return cat(*flag);
  return "";
}

std::optional<WallTime> time_at(const Value& object, std::string_view path) {
  return parse_time(object.text(path));
}

std::string age(const Value& object, WallTime now) {
  const auto created = time_at(object, "metadata.creationTimestamp");
  return created ? format_age(now - *created) : "";
}

// How long the command ran, or runs by now.
std::string duration(const Value& run, WallTime now) {
  const auto started = time_at(run, "status.startedAt");
  if (!started) return "";
  return format_age(time_at(run, "status.finishedAt").value_or(now) - *started);
}

std::string bytes_at(const Value& object, std::string_view path) {
  const Value* value = object.at(path);
  if (value == nullptr) return "";
  if (const auto* number = value->integer()) return format_bytes(*number);
  const auto* text = value->string();
  if (text == nullptr) return "";
  const Result<int64_t> bytes = parse_quantity(*text);
  return bytes.ok() ? format_bytes(*bytes) : *text;
}

size_t count_at(const Value& object, std::string_view path) {
  const Value* value = object.at(path);
  return value != nullptr && value->array() != nullptr ? value->array()->size() : 0;
}

// Those that runs can get.
size_t well_devices(const Value& node) {
  const Value* devices = node.at("status.devices");
  if (devices == nullptr || devices->array() == nullptr) return 0;
  return static_cast<size_t>(std::ranges::count_if(
      *devices->array(), [](const Value& each) { return each.find("fault") == nullptr; }));
}

std::string command_text(const Value& run) {
  if (const std::string code = run.text("spec.code"); !code.empty())
    return cat("code of ", code.size(), " bytes");
  const Value* command = run.at("spec.command");
  if (command == nullptr) return "";
  if (const auto* line = command->string()) return *line;
  std::vector<std::string> words;
  if (const auto* items = command->array()) {
    for (const Value& item : *items)
      words.push_back(item.string() != nullptr ? *item.string() : "");
  }
  return join(words, " ");
}

std::string proven(const Value& node) {
  const Value* list = node.at("status.capabilities");
  if (list == nullptr || list->array() == nullptr) return "";
  size_t available = 0;
  for (const Value& each : *list->array()) {
    const Value* flag = each.find("available");
    if (flag != nullptr && flag->boolean() != nullptr && *flag->boolean()) ++available;
  }
  return cat(available, "/", list->array()->size());
}

bool has_condition(const Value& object, std::string_view type) {
  const Value* list = object.at("status.conditions");
  return list != nullptr && list->array() != nullptr &&
         std::ranges::any_of(*list->array(), [&](const Value& each) {
           return field_text(each, "type") == type && field_text(each, "status") == "True";
         });
}

std::string node_state(const Value& node) {
  std::string state = field_text(node, "status.ready") == "true" ? "Ready" : "NotReady";
  if (field_text(node, "status.reason") == contracts::kNodeLost) state = "Lost";
  if (has_condition(node, contracts::kDiskPressure)) state += ",DiskFull";
  if (has_condition(node, contracts::kHostFault)) state += ",Faulty";
  if (node.at("status.coolDown.until") != nullptr) state += ",Resting";
  if (field_text(node, "spec.unschedulable") == "true") state += ",SchedulingDisabled";
  if (node.at("spec.drain") != nullptr) state += ",Draining";
  if (count_at(node, "spec.taints") > 0) state += ",Tainted";
  return state;
}

std::string short_digest(const std::string& digest) { return digest.substr(0, 12); }

using Row = std::vector<std::string>;

Row header_of(Kind kind, bool wide) {
  switch (kind) {
    case Kind::kRun:
      return wide ? Row{"NAME", "PHASE",     "RC",      "NODE",    "DURATION", "AGE",
                        "TYPE", "WORKSPACE", "ATTEMPT", "COMMAND", "MESSAGE"}
                  : Row{"NAME", "PHASE", "RC", "NODE", "DURATION", "AGE"};
    case Kind::kWorkspace:
      return wide ? Row{"NAME", "FILES", "SIZE", "AGE", "SOURCE", "ROOT"}
                  : Row{"NAME", "FILES", "SIZE", "AGE"};
    case Kind::kVolume:
      return wide ? Row{"NAME", "VERSION", "FILES", "SIZE", "AGE", "KEPT", "RUN", "ROOT"}
                  : Row{"NAME", "VERSION", "FILES", "SIZE", "AGE"};
    case Kind::kGrant:
      return wide ? Row{"NAME", "MEDIA", "COMPUTE", "QUOTA", "AGE", "PARENT", "SUBJECTS"}
                  : Row{"NAME", "MEDIA", "COMPUTE", "QUOTA", "AGE"};
    case Kind::kToolToken:
      return wide ? Row{"NAME", "RUN", "PHASE", "OPERATIONS", "AGE", "EXPIRES", "REASON"}
                  : Row{"NAME", "RUN", "PHASE", "OPERATIONS", "AGE"};
    case Kind::kSandbox:
      return wide ? Row{"NAME", "PHASE", "NODE", "AGE", "EXPIRES", "REASON"}
                  : Row{"NAME", "PHASE", "NODE", "AGE"};
    case Kind::kSecret:
      return wide ? Row{"NAME", "VALUES", "AGE", "NAMES", "TYPE"} : Row{"NAME", "VALUES", "AGE"};
    case Kind::kNode:
      return wide ? Row{"NAME", "STATUS", "CPU",   "MEMORY", "DISK",   "DEVICES",
                        "AGE",  "OS",     "AGENT", "PROVEN", "MESSAGE"}
                  : Row{"NAME", "STATUS", "CPU", "MEMORY", "DISK", "DEVICES", "AGE"};
  }
  return {};
}

Row run_row(const Value& run, bool wide, WallTime now) {
  Row row = {field_text(run, "metadata.name"),
             field_text(run, "status.phase"),
             field_text(run, "status.result.rc"),
             field_text(run, "status.nodeName"),
             duration(run, now),
             age(run, now)};
  if (wide) {
    for (std::string cell : {field_text(run, "spec.type"), field_text(run, "spec.workspace"),
                             field_text(run, "status.attempt"), command_text(run),
                             field_text(run, "status.message")}) {
      row.push_back(std::move(cell));
    }
  }
  return row;
}

Row workspace_row(const Value& workspace, bool wide, WallTime now) {
  Row row = {field_text(workspace, "metadata.name"), field_text(workspace, "status.files"),
             bytes_at(workspace, "status.bytes"), age(workspace, now)};
  if (wide) {
    row.push_back(field_text(workspace, "spec.source"));
    row.push_back(short_digest(field_text(workspace, "status.root")));
  }
  return row;
}

// Its newest version.
Row volume_row(const Value& volume, bool wide, WallTime now) {
  const Value* all = volume.at("status.versions");
  const bool any = all != nullptr && all->array() != nullptr && !all->array()->empty();
  const Value newest = any ? all->array()->back() : Value();
  Row row = {field_text(volume, "metadata.name"), field_text(newest, "version"),
             field_text(newest, "files"), bytes_at(newest, "bytes"), age(volume, now)};
  if (wide) {
    row.push_back(cat(count_at(volume, "status.versions")));
    row.push_back(field_text(newest, "run"));
    row.push_back(short_digest(field_text(newest, "root")));
  }
  return row;
}

std::string words_at(const Value& object, std::string_view path) {
  std::vector<std::string> words;
  const Value* list = object.at(path);
  if (list == nullptr || list->array() == nullptr) return "";
  for (const Value& each : *list->array())
    if (each.string() != nullptr) words.push_back(*each.string());
  return join(words, ",");
}

// What of it is in use, and what it allows; nothing of one that a newer server wrote.
std::string quota_of(const Value& grant) {
  const Value* bounds = grant.at("spec.compute.quota");
  if (bounds == nullptr) return "";
  const auto quota = wire::decode<contracts::ComputeQuota>(*bounds);
  if (!quota.ok()) return "?";
  std::optional<contracts::QuotaUse> used;
  if (const Value* use = grant.at("status.quotaUsed")) {
    const auto decoded = wire::decode<contracts::QuotaUse>(*use);
    if (decoded.ok()) used = *decoded;
  }
  return contracts::quota_text(*quota, used);
}

Row grant_row(const Value& grant, bool wide, WallTime now) {
  const std::string surfaces = words_at(grant, "spec.media.surfaces");
  const bool media = grant.at("spec.media") != nullptr;
  Row row = {field_text(grant, "metadata.name"), media && surfaces.empty() ? "all" : surfaces,
             grant.at("spec.compute") != nullptr ? "yes" : "", quota_of(grant), age(grant, now)};
  if (wide) {
    row.push_back(field_text(grant, "spec.parent"));
    row.push_back(words_at(grant, "spec.subjects"));
  }
  return row;
}

Row tool_token_row(const Value& token, bool wide, WallTime now) {
  Row row = {field_text(token, "metadata.name"), field_text(token, "spec.run"),
             field_text(token, "status.phase"), words_at(token, "spec.operations"),
             age(token, now)};
  if (wide) {
    row.push_back(field_text(token, "status.expiresAt"));
    row.push_back(field_text(token, "status.reason"));
  }
  return row;
}

Row sandbox_row(const Value& session, bool wide, WallTime now) {
  Row row = {field_text(session, "metadata.name"), field_text(session, "status.phase"),
             field_text(session, "status.nodeName"), age(session, now)};
  if (wide) {
    row.push_back(field_text(session, "status.expiresAt"));
    row.push_back(field_text(session, "status.reason"));
  }
  return row;
}

// Names and a count: nothing else of a value is known here.
Row secret_row(const Value& secret, bool wide, WallTime now) {
  std::vector<std::string> names;
  const Value* list = secret.at("status.values");
  if (list != nullptr && list->array() != nullptr)
    for (const Value& each : *list->array()) names.push_back(each.text("name"));
  Row row = {field_text(secret, "metadata.name"), cat(names.size()), age(secret, now)};
  if (wide) {
    row.push_back(join(names, ","));
    row.push_back(field_text(secret, "type"));
  }
  return row;
}

Row node_row(const Value& node, bool wide, WallTime now) {
  Row row = {field_text(node, "metadata.name"),
             node_state(node),
             field_text(node, "status.capacity.cpu"),
             bytes_at(node, "status.capacity.memory"),
             bytes_at(node, "status.allocatableDisk"),
             cat(well_devices(node)),
             age(node, now)};
  if (wide) {
    row.push_back(cat(field_text(node, "status.os"), "/", field_text(node, "status.arch")));
    row.push_back(field_text(node, "status.agentVersion"));
    row.push_back(proven(node));
    row.push_back(field_text(node, "status.message"));
  }
  return row;
}

Row row_of(Kind kind, const Value& object, bool wide, WallTime now) {
  switch (kind) {
    case Kind::kRun:
      return run_row(object, wide, now);
    case Kind::kWorkspace:
      return workspace_row(object, wide, now);
    case Kind::kVolume:
      return volume_row(object, wide, now);
    case Kind::kGrant:
      return grant_row(object, wide, now);
    case Kind::kToolToken:
      return tool_token_row(object, wide, now);
    case Kind::kSandbox:
      return sandbox_row(object, wide, now);
    case Kind::kSecret:
      return secret_row(object, wide, now);
    case Kind::kNode:
      return node_row(object, wide, now);
  }
  return {};
}

}  // namespace

Table object_table(Kind kind, const std::vector<Value>& objects, const TableOptions& options,
                   WallTime now) {
  Table table;
  const bool with_namespace = options.all_namespaces && info(kind).namespaced;
  table.header = header_of(kind, options.wide);
  if (with_namespace) table.header.insert(table.header.begin(), "NAMESPACE");
  for (const std::string& label : options.labels) table.header.push_back(label_header(label));
  for (const Value& object : objects) {
    Row row = row_of(kind, object, options.wide, now);
    if (with_namespace) row.insert(row.begin(), field_text(object, "metadata.namespace"));
    for (const std::string& label : options.labels) row.push_back(label_cell(object, label));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace paddock::cli

#include "controller/k8s/pods.h"

#include "common/base/text.h"

namespace paddock::k8s {
namespace {

using contracts::Run;
using contracts::RunPhase;
using wire::Value;

// A pod knows fewer phases.
const char* pod_phase(RunPhase phase) {
  switch (phase) {
    case RunPhase::kPending:
    case RunPhase::kScheduled:
    case RunPhase::kPreparing:
      return "Pending";
    case RunPhase::kRunning:
      return "Running";
    case RunPhase::kSucceeded:
      return "Succeeded";
    case RunPhase::kFailed:
    case RunPhase::kCanceled:
      return "Failed";
  }
  return "Unknown";
}

Value container_state(const Run& run) {
  const contracts::RunStatus& status = run.status;
  Value times = Value::Object{};
  if (status.started_at) times.set("startedAt", status.started_at->encode_value());
  if (status.phase == RunPhase::kRunning) return Value::Object{{"running", std::move(times)}};
  if (!contracts::is_terminal(status.phase)) {
    return Value::Object{{"waiting", Value::Object{{"reason", wire::enum_name(status.phase)},
                                                   {"message", status.message}}}};
  }
  if (status.finished_at) times.set("finishedAt", status.finished_at->encode_value());
  times.set("exitCode", status.result ? status.result->rc : 1);
  times.set("reason", status.reason);
  times.set("message", status.message);
  return Value::Object{{"terminated", std::move(times)}};
}

}  // namespace

Value pod_of(const Run& run) {
  Value metadata = wire::encode(run.metadata);
  metadata.erase("managedFields");
  metadata.set("labels", wire::encode(pod_labels(run)));
  metadata.set("ownerReferences", Value::Array{Value::Object{{"apiVersion", contracts::kApiVersion},
                                                             {"kind", Run::kKind},
                                                             {"name", run.metadata.name},
                                                             {"uid", run.metadata.uid},
                                                             {"controller", true}}});
  Value::Array command;
  for (const std::string& word : run.spec.command.argv) command.emplace_back(word);
  const bool running = run.status.phase == RunPhase::kRunning;
  Value container_status =
      Value::Object{{"name", kPodContainer}, {"ready", running}, {"restartCount", 0},
                    {"image", ""},           {"imageID", ""},    {"state", container_state(run)}};
  const char* ready = running ? "True" : "False";
  Value conditions = Value::Array{
      Value::Object{{"type", "PodScheduled"},
                    {"status", run.status.phase == RunPhase::kPending ? "False" : "True"}},
      Value::Object{{"type", "Ready"}, {"status", ready}, {"reason", run.status.reason}},
      Value::Object{{"type", "ContainersReady"}, {"status", ready}}};
  return Value::Object{
      {"kind", "Pod"},
      {"apiVersion", "v1"},
      {"metadata", std::move(metadata)},
      {"spec",
       Value::Object{{"nodeName", run.status.node_name},
                     {"restartPolicy", "Never"},
                     {"securityContext", Value::Object{}},  // `kubectl debug` reads it unasked
                     {"containers", Value::Array{Value::Object{{"name", kPodContainer},
                                                               {"image", ""},
                                                               {"command", std::move(command)}}}}}},
      {"status", Value::Object{{"phase", pod_phase(run.status.phase)},
                               {"reason", run.status.reason},
                               {"message", run.status.message},
                               {"conditions", std::move(conditions)},
                               {"containerStatuses", Value::Array{std::move(container_status)}}}}};
}

Labels pod_labels(const Run& run) {
  Labels labels = run.metadata.labels;
  labels["paddock.dev/run"] = run.metadata.name;
  return labels;
}

Labels pod_fields(const Run& run) {
  return {{"metadata.name", run.metadata.name},
          {"metadata.namespace", run.metadata.name_space},
          {"spec.nodeName", run.status.node_name},
          {"status.phase", pod_phase(run.status.phase)}};
}

Value pod_columns() { return columns("Pod"); }

Value pod_cells(const Run& run, WallTime now) {
  return Value::Array{run.metadata.name,
                      run.status.phase == RunPhase::kRunning ? "1/1" : "0/1",
                      wire::enum_name(run.status.phase),
                      0,
                      age(run.metadata.creation_timestamp, now),
                      or_none(run.status.node_name)};
}

}  // namespace paddock::k8s

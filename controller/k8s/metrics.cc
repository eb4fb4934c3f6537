#include "controller/k8s/metrics.h"

#include "common/base/text.h"
#include "controller/k8s/pods.h"

namespace paddock::k8s {
namespace {

using contracts::Use;
using wire::Value;

// The span over which processors were looked at; agents measure every few seconds.
constexpr const char* kWindow = "5s";

std::string milli(int64_t thousandths) { return cat(thousandths, "m"); }

Value amounts(const Use& use) {
  Value out = Value::Object{};
  if (use.cpu_milli) out.set(contracts::kCpuAmount, milli(*use.cpu_milli));
  if (use.memory) out.set(contracts::kMemoryAmount, cat(use.memory->bytes));
  if (use.tasks) out.set(contracts::kTasksAmount, cat(*use.tasks));
  if (use.accelerator_milli) out.set(contracts::kAcceleratorAmount, milli(*use.accelerator_milli));
  if (use.accelerator_memory)
    out.set(contracts::kAcceleratorMemoryAmount, cat(use.accelerator_memory->bytes));
  return out;
}

Value metadata_of(const contracts::ObjectMeta& of, const Labels& labels, WallTime at) {
  Value metadata = Value::Object{{"name", of.name}};
  if (!of.name_space.empty()) metadata.set("namespace", of.name_space);
  if (!labels.empty()) metadata.set("labels", wire::encode(labels));
  metadata.set("creationTimestamp", wire::Timestamp{at}.encode_value());
  return metadata;
}

Value measurement(const char* kind, Value metadata, WallTime at) {
  return Value::Object{{"kind", kind},
                       {"apiVersion", contracts::kMetricsVersion},
                       {"metadata", std::move(metadata)},
                       {"timestamp", wire::Timestamp{at}.encode_value()},
                       {"window", kWindow}};
}

}  // namespace

bool is_measured(const Use& use) { return use != Use{}; }

Value node_metrics(const contracts::Node& node, const Use& use, WallTime at) {
  Value out = measurement("NodeMetrics", metadata_of(node.metadata, node.metadata.labels, at), at);
  out.set("usage", amounts(use));
  return out;
}

Value pod_metrics(const contracts::Run& run, const Use& use, WallTime at) {
  Value out = measurement("PodMetrics", metadata_of(run.metadata, pod_labels(run), at), at);
  out.set("containers",
          Value::Array{Value::Object{{"name", kPodContainer}, {"usage", amounts(use)}}});
  return out;
}

Value core_node(const contracts::Node& node) {
  Value metadata = wire::encode(node.metadata);
  metadata.erase("managedFields");
  const Value there = Value::Object{{"cpu", cat(node.status.capacity.cpu)},
                                    {"memory", cat(node.status.capacity.memory.bytes)},
                                    {"pods", cat(node.status.capacity.max_runs)}};
  const Value ready = Value::Object{{"type", "Ready"},
                                    {"status", node.status.ready ? "True" : "False"},
                                    {"reason", node.status.reason},
                                    {"message", node.status.message}};
  return Value::Object{{"kind", "Node"},
                       {"apiVersion", "v1"},
                       {"metadata", std::move(metadata)},
                       {"spec", Value::Object{{"unschedulable", node.spec.unschedulable}}},
                       {"status", Value::Object{{"capacity", there},
                                                {"allocatable", there},
                                                {"conditions", Value::Array{ready}}}}};
}

}  // namespace paddock::k8s

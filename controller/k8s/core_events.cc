#include "controller/k8s/core_events.h"

#include "common/base/text.h"
#include "common/contracts/run.h"
#include "common/wire/json.h"
#include "controller/base/event_name.h"
#include "controller/k8s/columns.h"
#include "controller/k8s/table.h"

namespace paddock::k8s {
namespace {

using wire::Value;

// The words of an event: what a client sees of one change of phase.
struct Words {
  std::string reason;
  std::string message;
  bool warning = false;
};

Words words_of(const contracts::RunEvent& phase) {
  const auto data = wire::parse_json(phase.data);
  const Value fields = data.ok() ? *data : Value();
  const std::string name = fields.text("phase");
  Words words{fields.text("reason"), fields.text("message")};
  words.warning = name == "Failed" || is_one_of(words.reason, {"UNSCHEDULABLE", "QUOTA_IN_USE"});
  if (words.reason.empty()) words.reason = name;
  if (words.message.empty()) {
    const Value* attempt = fields.find("attempt");
    words.message = cat("the run is ", name);
    if (attempt != nullptr && attempt->integer() != nullptr && *attempt->integer() > 0)
      words.message += cat(" (attempt ", *attempt->integer(), ")");
  }
  return words;
}

}  // namespace

Value core_event(const EventSubject& run, const contracts::RunEvent& phase,
                 int64_t resource_version) {
  const Words words = words_of(phase);
  const std::string time = format_time(WallTime{phase.time_ms});
  return Value::Object{
      {"kind", "Event"},
      {"apiVersion", "v1"},
      {"metadata", Value::Object{{"name", event_name(run.name, run.uid, phase.id)},
                                 {"namespace", run.name_space},
                                 {"uid", cat(run.uid, "-", phase.id)},
                                 {"resourceVersion", std::to_string(resource_version)},
                                 {"creationTimestamp", time}}},
      {"involvedObject", Value::Object{{"kind", contracts::Run::kKind},
                                       {"apiVersion", contracts::kApiVersion},
                                       {"namespace", run.name_space},
                                       {"name", run.name},
                                       {"uid", run.uid}}},
      {"reason", words.reason},
      {"message", words.message},
      {"type", words.warning ? "Warning" : "Normal"},
      {"source", Value::Object{{"component", "paddock-controller"}}},
      {"firstTimestamp", time},
      {"lastTimestamp", time},
      {"count", 1},
      {"eventTime", nullptr},
      {"reportingComponent", ""},
      {"reportingInstance", ""}};
}

Labels event_fields(const Value& event) {
  Labels fields;
  for (const char* name : {"metadata.name", "metadata.namespace", "involvedObject.kind",
                           "involvedObject.name", "involvedObject.namespace", "involvedObject.uid",
                           "involvedObject.apiVersion", "involvedObject.resourceVersion",
                           "involvedObject.fieldPath", "reason", "type", "reportingComponent"})
    fields[name] = event.text(name);
  fields["source"] = event.text("source.component");
  return fields;
}

Value event_columns() { return columns("Event"); }

Value event_cells(const Value& event, WallTime now) {
  const auto time = parse_time(event.text("lastTimestamp"));
  return Value::Array{
      time ? format_age(now - *time) : "<unknown>",
      event.text("type"),
      event.text("reason"),
      cat(ascii_lower(event.text("involvedObject.kind")), "/", event.text("involvedObject.name")),
      event.text("message"),
      event.text("metadata.name")};
}

}  // namespace paddock::k8s

// What every resource carries, in the Kubernetes API conventions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/describe.h"
#include "common/wire/units.h"

namespace paddock::contracts {

using wire::field;

inline constexpr const char* kGroup = "paddock.dev";
inline constexpr const char* kVersion = "v1alpha1";
inline constexpr const char* kApiVersion = "paddock.dev/v1alpha1";

// Which fields of an object a manager set, and how (server-side apply, or another write).
struct ManagedFields {
  std::string manager;
  std::string operation = "Update";
  std::string api_version = kApiVersion;
  std::optional<wire::Timestamp> time;
  std::string fields_type = "FieldsV1";
  wire::Value fields_v1 = wire::Value::Object{};
  std::string subresource;

  static constexpr auto describe(auto&& visit) {
    return visit(
        field("manager", &ManagedFields::manager, "who set the fields", {.max_length = 128}),
        field("operation", &ManagedFields::operation, "Apply or Update", {.max_length = 16}),
        field("apiVersion", &ManagedFields::api_version, "the version that the fields are of",
              {.max_length = 128}),
        field("time", &ManagedFields::time, "when it last changed"),
        field("fieldsType", &ManagedFields::fields_type, "FieldsV1", {.max_length = 16}),
        field("fieldsV1", &ManagedFields::fields_v1, "a tree of \"f:<name>\" members"),
        field("subresource", &ManagedFields::subresource, "by which the fields were set",
              {.omit_empty = true, .max_length = 63}));
  }
};

struct ObjectMeta {
  std::string name;
  std::string generate_name;
  std::string name_space;
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;
  std::optional<wire::Timestamp> creation_timestamp;
  std::optional<wire::Timestamp> deletion_timestamp;
  std::optional<int64_t> deletion_grace_period_seconds;
  std::vector<std::string> finalizers;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::vector<ManagedFields> managed_fields;

  static constexpr auto describe(auto&& visit) {
    return visit(
        field("name", &ObjectMeta::name, "unique within its kind and namespace; a DNS label",
              {.omit_empty = true, .max_length = 253}),
        field("generateName", &ObjectMeta::generate_name, "prefix for a name made by the server",
              {.omit_empty = true, .max_length = 240}),
        field("namespace", &ObjectMeta::name_space, "where the object lives",
              {.omit_empty = true, .max_length = 63}),
        field("uid", &ObjectMeta::uid, "set by the server, never used twice", {.omit_empty = true}),
        field("resourceVersion", &ObjectMeta::resource_version,
              "changes with every write; send it back to detect a stale write",
              {.omit_empty = true}),
        field("generation", &ObjectMeta::generation, "changes with every change of spec",
              {.min = 0}),
        field("creationTimestamp", &ObjectMeta::creation_timestamp,
              "when the server stored it first"),
        field("deletionTimestamp", &ObjectMeta::deletion_timestamp,
              "when deletion was asked for: the object goes once nothing holds it"),
        field("deletionGracePeriodSeconds", &ObjectMeta::deletion_grace_period_seconds,
              "from then on, what its command had to end by itself", {.min = 0}),
        field("finalizers", &ObjectMeta::finalizers,
              "who must let go of it before it is gone: each removes its own",
              {.omit_empty = true, .max_length = 32}),
        field("labels", &ObjectMeta::labels, "for selection",
              {.omit_empty = true, .max_length = 64}),
        field("annotations", &ObjectMeta::annotations, "for tools; not selectable",
              {.omit_empty = true, .max_length = 64}),
        field("managedFields", &ObjectMeta::managed_fields,
              "who set which field; kept by the server", {.omit_empty = true, .max_length = 128}));
  }
};

// One observed fact about an object, as `kubectl wait --for=condition=…` reads it.
struct Condition {
  std::string type;
  std::string status;  // "True", "False" or "Unknown"
  std::string reason;
  std::string message;
  std::optional<wire::Timestamp> last_transition_time;

  static constexpr auto describe(auto&& visit) {
    return visit(
        field("type", &Condition::type, "what the condition is about", {.required = true}),
        field("status", &Condition::status, "True, False or Unknown", {.required = true}),
        field("reason", &Condition::reason, "a stable word for programs", {.omit_empty = true}),
        field("message", &Condition::message, "a sentence for people", {.omit_empty = true}),
        field("lastTransitionTime", &Condition::last_transition_time, "when status last changed"));
  }
};

}  // namespace paddock::contracts

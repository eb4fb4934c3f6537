// Sets of fields, for ownership (managedFields) and for naming what changed. Objects are granular,
// lists and scalars are one field. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::k8s {

using FieldPath = std::vector<std::string>;

// A tree of names; one without members is a field.
struct FieldSet {
  std::map<std::string, FieldSet> members;

  bool empty() const { return members.empty(); }
  void insert(const FieldPath& path);
  // The field, and members that are left empty above it.
  void erase(const FieldPath& path);
  // Whether it is in the set, or something above or below it is.
  bool touches(const FieldPath& path) const;
  // Each field, in order.
  void each(const std::function<void(const FieldPath&)>& visit) const;
  friend bool operator==(const FieldSet&, const FieldSet&) = default;
};

// The fields of an object's spec or data, its labels, annotations and finalizers, and a Secret's
// type and immutable: what a manager can own.
FieldSet owned_fields(const wire::Value& object);
// The fields whose values differ between the two, or that only one of them has.
struct FieldChanges {
  FieldSet set;      // new or another value
  FieldSet removed;  // gone
  bool empty() const { return set.empty() && removed.empty(); }
};
FieldChanges changed_fields(const wire::Value& before, const wire::Value& after);

// The value at a path, or null.
const wire::Value* value_at(const wire::Value& object, const FieldPath& path);
void set_value_at(wire::Value& object, const FieldPath& path, wire::Value value);
// Erases the value, and the objects above it that become empty.
void erase_value_at(wire::Value& object, FieldPath path);

// `.spec.command` as clients are told it.
std::string path_text(const FieldPath& path);

// FieldsV1: {"f:spec":{"f:priority":{}}}. Decoding refuses what is no such tree (FIELDS_INVALID).
wire::Value encode_fields(const FieldSet& set);
Result<FieldSet> decode_fields(const wire::Value& fields);

}  // namespace paddock::k8s

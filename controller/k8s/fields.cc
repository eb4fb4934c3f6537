#include "controller/k8s/fields.h"

#include <utility>

#include "common/base/text.h"

namespace paddock::k8s {
namespace {

using wire::Value;

void add_fields(const Value& value, FieldSet& out) {
  const Value::Object* members = value.object();
  if (members == nullptr) return;
  for (const auto& [key, member] : *members) add_fields(member, out.members[key]);
}

// The fields of an object that are not in its spec: of a Secret those beside its values, and the
// finalizers of any object.
void add_others(const Value& object, FieldSet& out) {
  for (const char* scalar : {"immutable", "type"}) {
    const Value* found = object.find(scalar);
    if (found != nullptr && !found->is_null()) out.members[scalar];
  }
  const Value* metadata = object.find("metadata");
  const Value* holders = metadata == nullptr ? nullptr : metadata->find("finalizers");
  if (holders != nullptr && holders->array() != nullptr && !holders->array()->empty())
    out.members["metadata"].members["finalizers"];
}

void visit_fields(const FieldSet& set, FieldPath& path,
                  const std::function<void(const FieldPath&)>& visit) {
  for (const auto& [key, member] : set.members) {
    path.push_back(key);
    if (member.empty()) {
      visit(path);
    } else {
      visit_fields(member, path, visit);
    }
    path.pop_back();
  }
}

void erase_from(FieldSet& set, const FieldPath& path, size_t at) {
  const auto found = set.members.find(path[at]);
  if (found == set.members.end()) return;
  if (at + 1 == path.size()) {
    set.members.erase(found);
    return;
  }
  if (found->second.empty()) return;  // a field above it: not this one
  erase_from(found->second, path, at + 1);
  if (found->second.empty()) set.members.erase(found);
}

Error no_fields(const std::string& what) {
  return {Code::kFailedPrecondition, "FIELDS_INVALID",
          cat("fieldsV1 is a tree of \"f:<name>\" members; this is none: ", what)};
}

}  // namespace

void FieldSet::insert(const FieldPath& path) {
  FieldSet* here = this;
  for (const std::string& key : path) here = &here->members[key];
}

void FieldSet::erase(const FieldPath& path) {
  if (!path.empty()) erase_from(*this, path, 0);
}

bool FieldSet::touches(const FieldPath& path) const {
  const FieldSet* here = this;
  for (const std::string& key : path) {
    const auto found = here->members.find(key);
    if (found == here->members.end()) return false;
    here = &found->second;
    if (here->empty()) return true;
  }
  return true;
}

void FieldSet::each(const std::function<void(const FieldPath&)>& visit) const {
  FieldPath path;
  visit_fields(*this, path, visit);
}

FieldSet owned_fields(const Value& object) {
  FieldSet set;
  for (const char* part : {"spec", "data"}) {
    const Value* found = object.find(part);
    if (found == nullptr || found->object() == nullptr) continue;
    FieldSet fields;
    add_fields(*found, fields);
    if (!fields.empty()) set.members[part] = std::move(fields);
  }
  for (const char* map : {"labels", "annotations"}) {
    const Value* metadata = object.find("metadata");
    const Value* found = metadata == nullptr ? nullptr : metadata->find(map);
    if (found == nullptr || found->object() == nullptr || found->object()->empty()) continue;
    add_fields(*found, set.members["metadata"].members[map]);
  }
  add_others(object, set);
  return set;
}

FieldChanges changed_fields(const Value& before, const Value& after) {
  FieldChanges changes;
  owned_fields(after).each([&](const FieldPath& path) {
    const Value* old = value_at(before, path);
    if (old == nullptr || *old != *value_at(after, path)) changes.set.insert(path);
  });
  owned_fields(before).each([&](const FieldPath& path) {
    if (value_at(after, path) == nullptr) changes.removed.insert(path);
  });
  return changes;
}

const Value* value_at(const Value& object, const FieldPath& path) {
  const Value* here = &object;
  for (const std::string& key : path) {
    here = here->find(key);
    if (here == nullptr) return nullptr;
  }
  return here;
}

void set_value_at(Value& object, const FieldPath& path, Value value) {
  Value* here = &object;
  for (const std::string& key : path) {
    if (here->object() == nullptr) *here = Value::Object{};
    if (here->find(key) == nullptr) here->set(key, Value());
    here = here->find(key);
  }
  *here = std::move(value);
}

void erase_value_at(Value& object, FieldPath path) {
  while (!path.empty()) {
    const std::string last = std::move(path.back());
    path.pop_back();
    const Value* found = value_at(object, path);
    if (found == nullptr) return;
    auto* parent = const_cast<Value*>(found);
    parent->erase(last);
    const bool emptied = parent->object() != nullptr && parent->object()->empty();
    if (!emptied || path.size() < 2) return;  // spec itself stays
  }
}

std::string path_text(const FieldPath& path) {
  std::string text;
  for (const std::string& key : path) text += cat(".", key);
  return text;
}

Value encode_fields(const FieldSet& set) {
  Value::Object out;
  for (const auto& [key, member] : set.members)
    out.emplace_back(cat("f:", key), encode_fields(member));
  return out;
}

Result<FieldSet> decode_fields(const Value& fields) {
  FieldSet set;
  if (fields.object() == nullptr) return no_fields(std::string(fields.type_name()));
  for (const auto& [key, member] : *fields.object()) {
    if (key == ".") continue;  // the map itself
    if (!key.starts_with("f:")) return no_fields(key);
    ASSIGN_OR_RETURN(set.members[key.substr(2)], decode_fields(member));
  }
  return set;
}

}  // namespace paddock::k8s

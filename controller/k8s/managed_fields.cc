#include "controller/k8s/managed_fields.h"

#include <algorithm>
#include <set>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/k8s/fields.h"

namespace paddock::k8s {
namespace {

using contracts::ManagedFields;
using wire::Value;

constexpr const char* kApply = "Apply";
constexpr const char* kUpdate = "Update";
constexpr size_t kMostUpdaters = 10;  // older ones are put together
constexpr size_t kMostAppliers = 64;
constexpr const char* kOlder = "ancient-changes";

// A manager with its fields as a set.
struct Owner {
  ManagedFields entry;
  FieldSet fields;
};
using Owners = std::vector<Owner>;

Result<Owners> decode_owners(const Managers& managers) {
  Owners owners;
  for (const ManagedFields& entry : managers) {
    ASSIGN_OR_RETURN(FieldSet fields, decode_fields(entry.fields_v1));
    owners.push_back({entry, std::move(fields)});
  }
  return owners;
}

Managers encode_owners(Owners owners) {
  Managers managers;
  for (Owner& owner : owners) {
    if (owner.fields.empty()) continue;
    owner.entry.fields_v1 = encode_fields(owner.fields);
    managers.push_back(std::move(owner.entry));
  }
  return managers;
}

Owner& owner_of(Owners& owners, const std::string& manager, const char* operation) {
  for (Owner& owner : owners) {
    const bool same = owner.entry.manager == manager && owner.entry.operation == operation &&
                      owner.entry.subresource.empty();
    if (same) return owner;
  }
  ManagedFields entry;
  entry.manager = manager;
  entry.operation = operation;
  owners.push_back({std::move(entry), {}});
  return owners.back();
}

void remove_all(FieldSet& from, const FieldSet& fields) {
  fields.each([&](const FieldPath& path) { from.erase(path); });
}

std::string title(const ManagedFields& entry) {
  const std::string name = cat("conflict with \"", entry.manager, "\"");
  return entry.operation == kApply ? name : cat(name, " using ", entry.api_version);
}

Status conflict_error(const std::vector<Cause>& causes) {
  if (causes.empty()) return {};
  std::string message =
      cat("Apply failed with ", causes.size(), causes.size() == 1 ? " conflict: " : " conflicts: ");
  for (size_t i = 0; i < causes.size(); ++i)
    message += cat(i == 0 ? "" : ", ", causes[i].message, ": ", causes[i].field);
  return Error{Code::kConflict, "APPLY_CONFLICT", std::move(message), causes};
}

// The conflicts: fields that are to change and belong to another manager.
std::vector<Cause> conflicts(const Value& live, const Value& applied, const FieldSet& fields,
                             const Owners& owners, const std::string& manager) {
  std::vector<Cause> causes;
  fields.each([&](const FieldPath& path) {
    const Value* now = value_at(live, path);
    if (now != nullptr && *now == *value_at(applied, path)) return;
    for (const Owner& owner : owners) {
      const bool self = owner.entry.manager == manager && owner.entry.operation == kApply;
      if (!self && owner.fields.touches(path))
        causes.push_back({path_text(path), title(owner.entry)});
    }
  });
  return causes;
}

// The fields that an earlier client-side apply of kubectl set, by its own annotation.
FieldSet client_side_applied(const Value& live) {
  const Value* text = value_at(
      live, {"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"});
  if (text == nullptr || text->string() == nullptr) return {};
  const auto applied = wire::parse_json(*text->string());
  return applied.ok() ? owned_fields(*applied) : FieldSet();
}

// kubectl may go from client-side to server-side apply: it conflicts with nobody but itself then.
void drop_own_conflicts(std::vector<Cause>& causes, const Value& live, const std::string& manager) {
  if (manager != "kubectl" || causes.empty()) return;
  std::set<std::string> own;
  client_side_applied(live).each([&](const FieldPath& path) { own.insert(path_text(path)); });
  std::erase_if(causes, [&](const Cause& cause) { return own.contains(cause.field); });
}

// Older updaters become one.
void limit_updaters(Owners& owners) {
  const auto is_update = [](const Owner& owner) { return owner.entry.operation == kUpdate; };
  while (static_cast<size_t>(std::ranges::count_if(owners, is_update)) > kMostUpdaters) {
    const auto oldest = std::ranges::find_if(owners, [&](const Owner& owner) {
      return is_update(owner) && owner.entry.manager != kOlder;
    });
    if (oldest == owners.end()) return;
    const Owner taken = std::move(*oldest);
    owners.erase(oldest);
    Owner& older = owner_of(owners, kOlder, kUpdate);
    taken.fields.each([&](const FieldPath& path) { older.fields.insert(path); });
    older.entry.time = taken.entry.time;
  }
}

Status check_appliers(const Owners& owners) {
  const auto count = std::ranges::count_if(
      owners, [](const Owner& owner) { return owner.entry.operation == kApply; });
  if (static_cast<size_t>(count) <= kMostAppliers) return {};
  return Error{Code::kFailedPrecondition,
               "TOO_MANY_MANAGERS",
               cat("at most ", kMostAppliers, " managers may apply one object"),
               {{"metadata.managedFields", "too many managers"}}};
}

}  // namespace

Result<Applied> apply(const Value& live, const Managers& managers, const Value& applied,
                      const std::string& manager, bool force, WallTime now) {
  ASSIGN_OR_RETURN(Owners owners, decode_owners(managers));
  const FieldSet fields = owned_fields(applied);
  std::vector<Cause> against = conflicts(live, applied, fields, owners, manager);
  drop_own_conflicts(against, live, manager);
  if (!force) TRY(conflict_error(against));

  Applied out{live, {}};
  FieldSet changed;
  fields.each([&](const FieldPath& path) {
    const Value* old = value_at(live, path);
    if (old == nullptr || *old != *value_at(applied, path)) changed.insert(path);
    set_value_at(out.object, path, *value_at(applied, path));
  });
  Owner& own = owner_of(owners, manager, kApply);
  const FieldSet before = std::exchange(own.fields, {});
  for (Owner& owner : owners) remove_all(owner.fields, changed);
  before.each([&](const FieldPath& path) {
    const bool kept = fields.touches(path) || std::ranges::any_of(owners, [&](const Owner& owner) {
                        return owner.fields.touches(path);
                      });
    if (!kept) erase_value_at(out.object, path);
  });
  Owner& self = owner_of(owners, manager, kApply);
  if (!(fields == before)) self.entry.time = wire::Timestamp{now};
  if (!self.entry.time || !changed.empty()) self.entry.time = wire::Timestamp{now};
  self.fields = fields;
  TRY(check_appliers(owners));
  out.managers = encode_owners(std::move(owners));
  return out;
}

Value overlaid(const Value& live, const Value& applied) {
  Value out = live;
  owned_fields(applied).each(
      [&](const FieldPath& path) { set_value_at(out, path, *value_at(applied, path)); });
  return out;
}

Value in_words_of(const Value& stored, Value applied) {
  owned_fields(applied).each([&](const FieldPath& path) {
    if (const Value* found = value_at(stored, path)) set_value_at(applied, path, *found);
  });
  return applied;
}

Result<Managers> record_update(const Value& before, const Value& after, const Managers& managers,
                               const std::string& manager, WallTime now) {
  const FieldChanges changes = changed_fields(before, after);
  if (changes.empty()) return managers;
  ASSIGN_OR_RETURN(Owners owners, decode_owners(managers));
  for (Owner& owner : owners) {
    remove_all(owner.fields, changes.set);
    remove_all(owner.fields, changes.removed);
  }
  if (!manager.empty() && !changes.set.empty()) {
    Owner& own = owner_of(owners, manager, kUpdate);
    changes.set.each([&](const FieldPath& path) { own.fields.insert(path); });
    own.entry.time = wire::Timestamp{now};
  }
  limit_updaters(owners);
  return encode_owners(std::move(owners));
}

Status check_managers(const Managers& managers) {
  const auto owners = decode_owners(managers);
  return owners.ok() ? Status() : Status(owners.error());
}

Status check_manager(const std::string& manager) {
  const bool printable = is_utf8(manager) && std::ranges::all_of(manager, [](char c) {
                           return static_cast<unsigned char>(c) >= ' ' && c != 0x7f;
                         });
  if (printable && manager.size() <= 128) return {};
  return invalid_argument("FIELD_MANAGER_INVALID",
                          "fieldManager takes at most 128 printable characters", "fieldManager");
}

}  // namespace paddock::k8s

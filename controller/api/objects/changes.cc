#include "controller/api/objects/changes.h"

#include "common/base/fault_sentence.h"
#include "controller/k8s/patch.h"

namespace paddock::api {
namespace {

using wire::Value;

// Merging walks members by name: what is no object of ours could make that long.
constexpr size_t kMostApplied = 4'000;
size_t count_values(const Value& value) {
  size_t count = 1;
  if (const auto* items = value.array()) {
    for (const Value& item : *items) count += count_values(item);
  } else if (const auto* members = value.object()) {
    for (const auto& [key, member] : *members) count += count_values(member);
  }
  return count;
}

// A patch that sets managedFields means it: kubectl moves fields from one manager to another so.
Result<std::optional<k8s::Managers>> patched_managers(const Value& before, const Value& after) {
  const Value* old = before.at("metadata.managedFields");
  const Value* now = after.at("metadata.managedFields");
  const bool same = (old == nullptr) == (now == nullptr) && (old == nullptr || *old == *now);
  if (same) return std::optional<k8s::Managers>();
  std::optional<k8s::Managers> managers = k8s::Managers();
  if (now == nullptr || now->is_null()) return managers;
  if (count_values(*now) > kMostApplied) {
    return Error{Code::kTooLarge, "DOCUMENT_TOO_LARGE",
                 cat("managedFields have at most ", kMostApplied, " values")};
  }
  auto meta = wire::decode<contracts::ObjectMeta>(Value::Object{{"managedFields", *now}});
  if (!meta) {
    Error error = as_invalid(meta.error());
    rename_fields(error, [](const std::string& field) { return cat("metadata.", field); });
    return error;
  }
  for (const contracts::ManagedFields& entry : meta->managed_fields) {
    if (entry.manager.empty()) continue;  // [{}] means: forget them all
    TRY(k8s::check_managers({entry}));
    managers->push_back(entry);
  }
  return managers;
}

Error manager_required() {
  return {Code::kFailedPrecondition,
          "FIELD_MANAGER_REQUIRED",
          "an apply names its fieldManager in the query",
          {{"fieldManager", "is required for apply patch"}}};
}

Status check_apply(const ChangeRequest& request, const k8s::Resource& resource) {
  if (count_values(request.body) > kMostApplied) {
    return Error{Code::kTooLarge, "DOCUMENT_TOO_LARGE",
                 cat("an applied object has at most ", kMostApplied, " values")};
  }
  if (request.manager.empty()) return manager_required();
  if (request.body.at("metadata.managedFields") != nullptr) {
    return invalid_argument("MANAGED_FIELDS_SENT", "metadata.managedFields must not be applied",
                            "metadata.managedFields");
  }
  return k8s::check_kind(request.body.text("apiVersion"), request.body.text("kind"), resource);
}

// Adds the members of `sent` that the object lacks. k8s::apply() does not merge members that nobody
// can own; the decoder judges them.
void add_missing(Value& object, const Value& sent) {
  if (sent.object() == nullptr) return;
  for (const auto& [key, value] : *sent.object()) {
    if (object.find(key) == nullptr) object.set(key, value);
  }
}

Result<Wish> applied_wish(const Value& live, const k8s::Managers& managers,
                          const ChangeRequest& request, WallTime now) {
  ASSIGN_OR_RETURN(k8s::Applied applied,
                   k8s::apply(live, managers, request.body, request.manager, request.force, now));
  for (const char* member : {"name", "namespace", "uid", "resourceVersion"}) {
    const Value* metadata = request.body.find("metadata");
    const Value* sent = metadata == nullptr ? nullptr : metadata->find(member);
    Value* out = applied.object.find("metadata");
    if (sent != nullptr && out != nullptr) out->set(member, *sent);
  }
  add_missing(applied.object, request.body);
  if (Value* metadata = applied.object.find("metadata")) {
    if (const Value* sent = request.body.find("metadata")) add_missing(*metadata, *sent);
  }
  return Wish{std::move(applied.object), std::move(applied.managers)};
}

}  // namespace

Result<ChangeRequest> read_change(Call& call, bool status, const k8s::Resource& resource) {
  ChangeRequest request;
  request.status = status;
  if (call.request.method == "PATCH") {
    ASSIGN_OR_RETURN(request.patch, patch_kind(call.request.header("content-type")));
  }
  request.body = std::move(call.body);
  const bool list = request.patch == PatchKind::kJson;
  if (!list && request.body.object() == nullptr)
    return invalid_argument("INVALID_FIELD", "the body must be an object");
  ASSIGN_OR_RETURN(request.dry_run, wants_dry_run(call.request, Value()));
  ASSIGN_OR_RETURN(request.validation, field_validation(call.request));
  ASSIGN_OR_RETURN(request.force, flag_parameter(call.request, "force"));
  request.manager = call.request.parameter("fieldManager").value_or("");
  TRY(k8s::check_manager(request.manager));
  if (request.patch == PatchKind::kApply) {
    TRY(check_apply(request, resource));
    call.body = request.body;  // what is created when there is no such object
  }
  return request;
}

Result<Wish> wish_of(const Value& live, const k8s::Managers& managers, const ChangeRequest& request,
                     WallTime now) {
  if (!request.patch) return Wish{request.body, std::nullopt};
  if (*request.patch == PatchKind::kApply) return applied_wish(live, managers, request, now);
  // A version in a patch is a precondition; the live one is none.
  Value before = live;
  if (Value* metadata = before.find("metadata")) metadata->erase("resourceVersion");
  Wish wish;
  if (*request.patch == PatchKind::kMerge) {
    wish.object = k8s::merge_patch(before, request.body);
  } else {
    before = live;
    ASSIGN_OR_RETURN(wish.object, k8s::json_patch(before, request.body));
  }
  ASSIGN_OR_RETURN(wish.managers, patched_managers(before, wish.object));
  return wish;
}

Error as_invalid(Error error) {
  if (error.reason == "INVALID_FIELD") error.code = Code::kFailedPrecondition;
  return error;
}

namespace {

constexpr Reason kTried = "DRY_RUN_ENDS_HERE";

// `change` with an end that undoes it.
std::function<Status(store::WriteTxn&)> trial_of(
    const std::function<Status(store::WriteTxn&)>& change) {
  return [&change](store::WriteTxn& txn) -> Status {
    TRY(change(txn));
    return Error{Code::kFailedPrecondition, kTried, "nothing is kept"};
  };
}

Status what_was_tried(Status tried) {
  if (!tried.ok() && tried.error().reason == kTried) return {};
  return tried;
}

}  // namespace

Status write_or_try(store::Store& store, bool dry_run,
                    const std::function<Status(store::WriteTxn&)>& change) {
  return dry_run ? what_was_tried(store.write(trial_of(change))) : store.write(change);
}

Status free_or_try(store::Store& store, bool dry_run,
                   const std::function<Status(store::WriteTxn&)>& change) {
  return dry_run ? write_or_try(store, dry_run, change) : store.write_freeing(change);
}

}  // namespace paddock::api

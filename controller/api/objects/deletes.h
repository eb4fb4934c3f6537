// Deleting objects of any kind: DELETE, tried first when it is a dry run. An object that something
// holds is marked with a deletionTimestamp and goes once nothing does: a finalizer on any kind, and
// of a run that has not ended its node.
#pragma once

#include "common/base/crash_point.h"
#include "controller/api/objects/creates.h"
#include "controller/api/objects/delete_options.h"
#include "controller/runs/transitions.h"

namespace paddock::api {

// Whether it is gone; else it is as it is stored now, marked.
template <class T>
Result<bool> remove_object(store::WriteTxn& txn, const Call& call, T& object,
                           const DeleteOptions& options) {
  if (!object.metadata.finalizers.empty()) {
    if (k8s::mark_deleted(object.metadata, options.grace_seconds, call.now()))
      TRY(save_marked(txn, object, call.now()));
    return false;
  }
  TRY(prepare_delete(txn, object, call.now()));
  TRY(txn.erase<T>({object.metadata.name_space, object.metadata.name}));
  return true;
}
// A run is ended first: one that waits at once, a placed one by its node.
Result<bool> remove_object(store::WriteTxn& txn, const Call& call, contracts::Run& run,
                           const DeleteOptions& options);

// What refuses an object refuses it before anything is written. Whoever asks again for what is
// being deleted already is told how it stands.
template <class T>
Result<bool> erase_found(store::WriteTxn& txn, const Call& call, T& object,
                         const DeleteOptions& options) {
  TRY(check_preconditions(call.body, object.metadata));
  if constexpr (requires { check_remover(call.principal, object); })
    TRY(check_remover(call.principal, object));
  if (!object.metadata.deletion_timestamp)
    TRY(record(txn, call, delete_event(object), k8s::resource_of(T::kKind).plural, object.metadata,
               audit_details(object)));
  return remove_object(txn, call, object, options);
}

template <class T>
Result<bool> erase_object(store::WriteTxn& txn, const Call& call, T& object,
                          const DeleteOptions& options) {
  ASSIGN_OR_RETURN(object, txn.get<T>(call.key()));
  return erase_found(txn, call, object, options);
}

// What goes without a word of those who have it is told to who asked for that.
inline constexpr const char* kForcedWarning =
    "deleted by force: the record is gone before the node said that the run has ended; the node "
    "ends "
    "it when it hears of this";
template <class T>
bool was_forced(const T&) {
  return false;
}
inline bool was_forced(const contracts::Run& run) {
  return run.status.reason == runs::kForceDeleted;
}

template <class T>
Response deletion_response(const T& object, bool gone) {
  if (!gone) return object_response(object);
  Response response =
      json_response(k8s::deleted_status(k8s::resource_of(T::kKind).plural, object.metadata));
  if (was_forced(object)) add_warnings(response, {kForcedWarning});
  return response;
}

template <class T>
Result<Response> delete_object(Call& call) {
  ASSIGN_OR_RETURN(const DeleteOptions options, read_delete_options(call.request, call.body));
  T object;
  bool gone = false;
  Status written =
      write_or_try(call.services.store, options.dry_run, [&](store::WriteTxn& txn) -> Status {
        ASSIGN_OR_RETURN(gone, erase_object(txn, call, object, options));
        return {};
      });
  if (!written.ok()) return std::move(written).error();
  PADDOCK_CRASH_POINT("delete-stored");
  if (!gone) complete(call.services, object);
  return deletion_response(object, gone);
}

}  // namespace paddock::api

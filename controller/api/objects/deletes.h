// Deleting objects of any kind: DELETE, tried first when it is a dry run. An object that something
// holds is marked with a deletionTimestamp and goes once nothing does: a finalizer on any kind, and
// of a run that has not ended its node.
#pragma once

#include "common/base/crash_point.h"
#include "controller/api/objects/creates.h"
#include "controller/api/objects/delete_options.h"

namespace paddock::api {

// A refusal comes before anything is written. Deleting an object again that is being deleted
// returns its present state.
template <DeletableKind T>
Result<bool> erase_found(store::WriteTxn& txn, const Call& call, T& object,
                         const DeleteOptions& options) {
  TRY(check_preconditions(options, object.metadata));
  TRY(KindTraits<T>::check_remover(call.principal, object));
  if (!object.metadata.deletion_timestamp)
    TRY(record(txn, call, KindTraits<T>::delete_event(object), k8s::resource_of(T::kKind).plural,
               object.metadata, KindTraits<T>::audit_details(object)));
  return KindTraits<T>::remove(txn, call, object, options);
}

template <DeletableKind T>
Result<bool> erase_object(store::WriteTxn& txn, const Call& call, T& object,
                          const DeleteOptions& options) {
  ASSIGN_OR_RETURN(object, txn.get<T>(call.key()));
  return erase_found(txn, call, object, options);
}

template <DeletableKind T, class View = Itself<T>>
Response deletion_response(const T& object, bool gone) {
  if (!gone) return view_response<View>(object);
  Response response = json_response(k8s::deleted_status(View::resource(), object.metadata));
  add_warnings(response, KindTraits<T>::deletion_warnings(object));
  return response;
}

template <DeletableKind T, class View = Itself<T>>
Result<Response> delete_object(Call& call) {
  ASSIGN_OR_RETURN(const DeleteOptions options, read_delete_options(call.request, call.body));
  T object;
  bool gone = false;
  Status written =
      free_or_try(call.services.store, options.dry_run, [&](store::WriteTxn& txn) -> Status {
        ASSIGN_OR_RETURN(gone, erase_object(txn, call, object, options));
        return {};
      });
  if (!written.ok()) return std::move(written).error();
  PADDOCK_CRASH_POINT("delete-stored");
  if (!gone) KindTraits<T>::complete(call.services, object);
  return deletion_response<T, View>(object, gone);
}

}  // namespace paddock::api

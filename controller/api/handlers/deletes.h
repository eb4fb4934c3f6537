// Deleting objects of any kind that is only a record: DELETE, tried first when it is a dry run.
#pragma once

#include "common/base/crash_point.h"
#include "controller/api/handlers/creates.h"

namespace paddock::api {

// What refuses an object refuses it before anything is written.
template <class T>
Status erase_found(store::WriteTxn& txn, const Call& call, const T& object) {
  TRY(check_preconditions(call.body, object.metadata));
  if constexpr (requires { check_remover(call.principal, object); })
    TRY(check_remover(call.principal, object));
  TRY(prepare_delete(txn, object, call.now()));
  TRY(record(txn, call, delete_event(object), k8s::resource_of(T::kKind).plural, object.metadata,
             audit_details(object)));
  return txn.erase<T>({object.metadata.name_space, object.metadata.name});
}

template <class T>
Status erase_object(store::WriteTxn& txn, const Call& call, T& object) {
  ASSIGN_OR_RETURN(object, txn.get<T>(call.key()));
  return erase_found(txn, call, object);
}

template <class T>
Result<Response> delete_object(Call& call) {
  ASSIGN_OR_RETURN(const bool dry_run, wants_dry_run(call.request, call.body));
  T object;
  TRY(write_or_try(call.services.store, dry_run,
                   [&](store::WriteTxn& txn) { return erase_object(txn, call, object); }));
  PADDOCK_CRASH_POINT("delete-stored");
  return json_response(k8s::deleted_status(k8s::resource_of(T::kKind).plural, object.metadata));
}

}  // namespace paddock::api

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

// What is known of the metadata of an object that this version cannot read.
contracts::ObjectMeta known_metadata(const store::Key& key, const store::ObjectHead& head);

// Stands in for an object that this version cannot read. The node that holds it, and the scheduler,
// are woken to look again.
template <DeletableKind T>
Result<T> stand_in_for_unreadable(store::WriteTxn& txn, const store::Key& key) {
  ASSIGN_OR_RETURN(const std::optional<store::ObjectHead> head, txn.head(T::kKind, key));
  if (!head) return store::cannot_be_read(T::kKind, key);
  if (!head->node.empty()) txn.touch(store::node_topic(head->node));
  txn.touch(store::kSchedulerTopic);
  return KindTraits<T>::stand_in(known_metadata(key, *head), *head);
}

template <DeletableKind T>
Result<Removal> erase_object(store::WriteTxn& txn, const Call& call, T& object,
                             const DeleteOptions& options) {
  Removal removal;
  Result<T> found = txn.get<T>(call.key());
  if (!found && store::is_unreadable(found.error())) {
    found = stand_in_for_unreadable<T>(txn, call.key());
    removal.unread = true;
  }
  if (!found) return std::move(found).error();
  object = std::move(*found);
  ASSIGN_OR_RETURN(removal.gone, erase_found(txn, call, object, options));
  return removal;
}

template <DeletableKind T, class View = Itself<T>>
Response deletion_response(const T& object, const DeleteOptions& options, const Removal& removal) {
  Response response = removal.gone
                          ? json_response(k8s::deleted_status(View::resource(), object.metadata))
                          : view_response<View>(object);
  add_warnings(response, KindTraits<T>::deletion_warnings(object, options));
  add_warnings(response, warnings_of(removal));
  return response;
}

template <DeletableKind T, class View = Itself<T>>
Result<Response> delete_object(Call& call) {
  ASSIGN_OR_RETURN(const DeleteOptions options, read_delete_options(call.request, call.body));
  T object;
  Removal removal;
  Status written =
      free_or_try(call.services.store, options.dry_run, [&](store::WriteTxn& txn) -> Status {
        ASSIGN_OR_RETURN(removal, erase_object(txn, call, object, options));
        return {};
      });
  if (!written.ok()) return std::move(written).error();
  PADDOCK_CRASH_POINT("delete-stored");
  if (!removal.gone) KindTraits<T>::complete(call.services, object);
  return deletion_response<T, View>(object, options, removal);
}

}  // namespace paddock::api

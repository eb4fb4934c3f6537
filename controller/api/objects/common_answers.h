// Answers of KindTraits that several kinds give alike. Each kind says itself that it gives them.
#pragma once

#include "controller/api/objects/delete_options.h"
#include "controller/api/objects/kind.h"
#include "controller/api/server/call.h"
#include "controller/k8s/objects.h"

namespace paddock::api {

k8s::Labels common_fields(const contracts::ObjectMeta& meta);

// An object of which only its metadata is known.
template <class T>
T bare(contracts::ObjectMeta&& meta) {
  T out;
  out.metadata = std::move(meta);
  return out;
}

// Refuses to write the status of a kind where the server alone does: FailedPrecondition
// (FIELD_IMMUTABLE).
Status refuse_status(std::string_view kind);

// Erases an object that was marked for deletion, once its last finalizer is gone.
template <DeletableKind T>
Status erase_if_free(store::WriteTxn& txn, const T& object, WallTime now) {
  const contracts::ObjectMeta& meta = object.metadata;
  if (!meta.deletion_timestamp || !meta.finalizers.empty()) return {};
  TRY(KindTraits<T>::prepare_delete(txn, object, now));
  return txn.erase<T>({meta.name_space, meta.name});
}

// Marks an object for deletion if a finalizer holds it; otherwise erases it at once.
template <DeletableKind T>
Result<bool> mark_or_erase(store::WriteTxn& txn, T& object, const DeleteOptions& options,
                           WallTime now) {
  if (!object.metadata.finalizers.empty()) {
    if (k8s::mark_deleted(object.metadata, options.grace_seconds, now))
      TRY(KindTraits<T>::save_marked(txn, object, now));
    return false;
  }
  TRY(KindTraits<T>::prepare_delete(txn, object, now));
  TRY(txn.erase<T>({object.metadata.name_space, object.metadata.name}));
  return true;
}

}  // namespace paddock::api

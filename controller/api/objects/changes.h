// Changing objects of any kind: PUT, PATCH (merge, JSON, apply) and their dry runs.
#pragma once

#include <optional>

#include "controller/api/objects/creates.h"
#include "controller/api/objects/objects.h"
#include "controller/k8s/managed_fields.h"

namespace paddock::api {

struct ChangeRequest {
  std::optional<PatchKind> patch;  // none: a PUT
  wire::Value body;
  bool status = false;  // of the status subresource: nothing else changes
  bool dry_run = false;
  bool force = false;  // an apply takes fields from other managers
  std::string manager;
  FieldValidation validation = FieldValidation::kStrict;
};
// PARAMETER_INVALID, FIELD_MANAGER_INVALID, FIELD_MANAGER_REQUIRED, MANAGED_FIELDS_SENT,
// DOCUMENT_TOO_LARGE.
Result<ChangeRequest> read_change(Call& call, bool status, const k8s::Resource& resource);

// What the request makes of a live object: a document, unchecked.
struct Wish {
  wire::Value object;
  std::optional<k8s::Managers> managers;  // set when the request decides who owns what
};
Result<Wish> wish_of(const wire::Value& live, const k8s::Managers& managers,
                     const ChangeRequest& request, WallTime now);

// Values that do not fit are Invalid here, so that `kubectl edit` shows them in the editor again.
Error as_invalid(Error error);

// An apply with its values as they are stored: an apply of `60s` where `1m` is stored changes
// nothing and disagrees with nobody. What does not decode stays, for the change itself to refuse.
template <ChangeableKind T, class View>
ChangeRequest in_stored_words(Call& call, const T& live, ChangeRequest request) {
  if (request.patch != PatchKind::kApply) return request;
  std::vector<std::string> unheard;
  const wire::Value merged = k8s::overlaid(View::object(live), request.body);
  auto decoded = View::changed(call.services, live, {merged, FieldValidation::kIgnore, unheard});
  if (!decoded.ok()) return request;
  decoded->metadata.creation_timestamp = live.metadata.creation_timestamp;
  if (!request.status) {
    decoded->status = live.status;
    View::keep(merged, *decoded);  // some views show what was written, and no other words for it
  }
  request.body = k8s::in_words_of(View::object(*decoded), std::move(request.body));
  return request;
}

template <ChangeableKind T, class View = Itself<T>>
Result<T> changed_object(Call& call, const T& live, const ChangeRequest& sent,
                         std::vector<std::string>& warnings) {
  const wire::Value before = View::object(live);
  const ChangeRequest request = in_stored_words<T, View>(call, live, sent);
  ASSIGN_OR_RETURN(const Wish wish,
                   wish_of(before, live.metadata.managed_fields, request, call.now()));
  auto decoded = View::changed(call.services, live, {wish.object, request.validation, warnings});
  if (!decoded) return as_invalid(decoded.error());
  T next = std::move(*decoded);
  ASSIGN_OR_RETURN(next.metadata,
                   k8s::changed_metadata(live.metadata, next.metadata, View::resource()));
  if (request.status) {
    T only = live;
    only.status = std::move(next.status);
    TRY(KindTraits<T>::check_status_update(live, only));
    return only;
  }
  next.status = live.status;
  View::keep(wish.object, next);
  TRY(KindTraits<T>::check_update(call.services, live, next));
  TRY(KindTraits<T>::check_changer(call.principal, live, next));
  if (wish.managers) {
    next.metadata.managed_fields = *wish.managers;
  } else {
    ASSIGN_OR_RETURN(next.metadata.managed_fields,
                     k8s::record_update(before, View::object(next), live.metadata.managed_fields,
                                        request.manager, call.now()));
  }
  return next;
}

// Runs `change`; in a dry run nothing of it is kept.
Status write_or_try(store::Store& store, bool dry_run,
                    const std::function<Status(store::WriteTxn&)>& change);
// The same for a change that frees space: it works on a full disk too. A dry run takes nothing from
// the reserve for that.
Status free_or_try(store::Store& store, bool dry_run,
                   const std::function<Status(store::WriteTxn&)>& change);

// Others may write between our read and our write: then once more. The last time nobody can.
template <ChangeableKind T, class View = Itself<T>>
Result<T> change_stored(Call& call, const ChangeRequest& request,
                        std::vector<std::string>& warnings) {
  constexpr int kTries = 8;
  T out;
  for (int attempt = 1;; ++attempt) {
    T live;
    TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(live, txn.get<T>(call.key()));
      return {};
    }));
    warnings.clear();
    ASSIGN_OR_RETURN(out, (changed_object<T, View>(call, live, request, warnings)));
    const Status written =
        write_or_try(call.services.store, request.dry_run, [&](store::WriteTxn& txn) -> Status {
          if (attempt == kTries) {
            ASSIGN_OR_RETURN(live, txn.get<T>(call.key()));
            ASSIGN_OR_RETURN(out, (changed_object<T, View>(call, live, request, warnings)));
          }
          const std::string before = out.metadata.resource_version;
          TRY(KindTraits<T>::save_update(call.services, txn, out, call.now()));
          TRY(KindTraits<T>::let_go(txn, out, call.now()));
          if (out.metadata.resource_version == before) return {};  // nothing changed
          for (const std::string_view event : KindTraits<T>::update_events(live, out))
            TRY(record(txn, call, event, k8s::resource_of(T::kKind).plural, out.metadata,
                       KindTraits<T>::audit_details(out)));
          return {};
        });
    if (written.ok()) {
      if (request.dry_run) out.metadata.resource_version = live.metadata.resource_version;
      return out;
    }
    if (written.error().reason != "STALE_RESOURCE_VERSION" || attempt >= kTries)
      return written.error();
  }
}

template <ChangeableKind T, class View = Itself<T>>
Result<Response> respond_to_change(Call& call, const ChangeRequest& request) {
  std::vector<std::string> warnings;
  auto changed = change_stored<T, View>(call, request, warnings);
  if (!changed) {
    const bool create = request.patch == PatchKind::kApply && !request.status &&
                        changed.error().code == Code::kNotFound;
    if (!create) return changed.error();
    return create_applied<T, View>(call, request.manager);
  }
  if (!request.dry_run && !request.status) TRY(KindTraits<T>::after_update(call, *changed));
  KindTraits<T>::complete(call.services, *changed);
  Response response = view_response<View>(*changed);
  add_warnings(response, warnings);
  return response;
}

// PUT and PATCH of an object, and of its status.
template <ChangeableKind T, class View = Itself<T>>
Result<Response> change_object(Call& call) {
  ASSIGN_OR_RETURN(const ChangeRequest request, read_change(call, false, View::resource()));
  return respond_to_change<T, View>(call, request);
}
template <ChangeableKind T, class View = Itself<T>>
Result<Response> change_status(Call& call) {
  ASSIGN_OR_RETURN(const ChangeRequest request, read_change(call, true, View::resource()));
  return respond_to_change<T, View>(call, request);
}

}  // namespace paddock::api

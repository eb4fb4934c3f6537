// Creating objects of any kind: POST, and an apply that finds nothing to change.
#pragma once

#include "common/base/crash_point.h"
#include "common/base/timed_uuid.h"
#include "common/contracts/run.h"
#include "controller/api/objects/objects.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/idempotency.h"
#include "controller/k8s/managed_fields.h"
#include "controller/k8s/objects.h"
#include "controller/k8s/resources.h"

namespace paddock::api {

Status write_or_try(store::Store& store, bool dry_run,
                    const std::function<Status(store::WriteTxn&)>& change);
Status free_or_try(store::Store& store, bool dry_run,
                   const std::function<Status(store::WriteTxn&)>& change);

struct CreateRequest {
  IdempotencyKey key;
  FieldValidation validation = FieldValidation::kStrict;
  bool dry_run = false;
  std::string manager;
  bool applied = false;  // by server-side apply
};
Result<CreateRequest> read_create(const Call& call);
// Stores the new objects and the record of their Idempotency-Key, or for a dry run only tries to.
Status write_new(Call& call, const CreateRequest& create, std::vector<store::NewObject> makes,
                 const std::function<Status(store::WriteTxn&)>& change);
// Checks a document that an apply would make an object from: a uid or a version in it means an
// object that was there before. 409.
Status check_means_none(const wire::Value& document);

// How often a generated name is drawn, if those before are taken.
inline constexpr int kNameAttempts = 5;

// A uid begins with the time, so that objects made together lie together in the store's indexes and
// a create writes to half as many pages. An array's uid is random from its first digit on: its
// elements share these digits (runs/arrays.h), and no two arrays may.
template <class T>
std::string new_uid(const Call& call, const T& object) {
  if constexpr (std::is_same_v<T, contracts::Run>) {
    if (contracts::is_array(object.spec)) return make_uuid(call.services.random);
  }
  return make_timed_uuid(call.services.random, call.now());
}

// The caller's object with metadata of its own, and nothing that the server owns.
template <CreatableKind T, class View = Itself<T>>
Result<T> new_object(Call& call, const CreateRequest& create, const wire::Value& document,
                     std::vector<std::string>& warnings) {
  ASSIGN_OR_RETURN(T object, View::made(call.services, {document, create.validation, warnings}));
  const std::string suffix = object.metadata.name.empty() ? make_suffix(call.services.random) : "";
  ASSIGN_OR_RETURN(object.metadata,
                   k8s::new_metadata(object.metadata, {call.param("ns"), new_uid(call, object),
                                                       suffix, call.now()}));
  object.status = {};
  View::keep(document, object);
  KindTraits<T>::note_maker(object, call.principal.subject);
  return object;
}

// Records from the start who set the object's fields.
template <class T, class View = Itself<T>>
Status own_fields(const Call& call, const CreateRequest& create, const wire::Value& document,
                  T& object) {
  if (create.applied) {
    ASSIGN_OR_RETURN(const k8s::Applied applied,
                     k8s::apply({}, {}, document, create.manager, true, call.now()));
    object.metadata.managed_fields = applied.managers;
    return {};
  }
  if (create.manager.empty()) return {};
  ASSIGN_OR_RETURN(object.metadata.managed_fields,
                   k8s::record_update({}, View::object(object), {}, create.manager, call.now()));
  return {};
}

// The object that an earlier request with this key made, if any. Then nothing else is checked.
template <class T>
Result<std::optional<T>> find_earlier(Call& call, const IdempotencyKey& key) {
  std::optional<T> found;
  if (key.scope.empty()) return found;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto names, earlier_creates(txn, key));
    if (names.empty()) return {};
    ASSIGN_OR_RETURN(found, txn.find<T>({call.param("ns"), names.front()}));
    return {};
  }));
  return found;
}

// Stores the object as `object`, or that becomes what the same request made before; false then.
template <CreatableKind T>
Result<bool> store_new(Call& call, const CreateRequest& create, const T& wanted, T& object) {
  bool created = false;
  const auto change = [&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto earlier, earlier_creates(txn, create.key));
    if (!earlier.empty()) {
      ASSIGN_OR_RETURN(std::optional<T> found,
                       txn.find<T>({wanted.metadata.name_space, earlier.front()}));
      if (found) {
        object = std::move(*found);
        created = false;
        return {};
      }
    }
    object = wanted;
    created = true;
    TRY(KindTraits<T>::save_new(call.services, txn, object, call.now()));
    TRY(record(txn, call, KindTraits<T>::create_event(object), k8s::resource_of(T::kKind).plural,
               object.metadata, KindTraits<T>::audit_details(object)));
    return remember_create(txn, create.key, object.metadata.name);
  };
  TRY(write_new(call, create, {{T::kKind, {wanted.metadata.name_space, wanted.metadata.name}}},
                change));
  PADDOCK_CRASH_POINT("create-stored");
  if (create.dry_run && created) object.metadata.resource_version.clear();
  return created;
}

template <CreatableKind T, class View = Itself<T>>
Result<Response> create_with(Call& call, const CreateRequest& create) {
  ASSIGN_OR_RETURN(const std::optional<T> earlier, find_earlier<T>(call, create.key));
  if (earlier) return view_response<View>(*earlier);
  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(T object, (new_object<T, View>(call, create, call.body, warnings)));
  TRY(KindTraits<T>::check_maker(call.principal, object));
  TRY(KindTraits<T>::prepare_new(call.services, object));
  ASSIGN_OR_RETURN(const auto room, KindTraits<T>::reserve_queue(call.services, object));
  TRY((own_fields<T, View>(call, create, call.body, object)));
  for (int attempt = 1;; ++attempt) {
    T stored;
    const Result<bool> created = store_new(call, create, object, stored);
    if (created) {
      if (*created && !create.dry_run) TRY(KindTraits<T>::after_create(call, stored));
      Response response = view_response<View>(stored, *created ? 201 : 200);
      add_warnings(response, warnings);
      return response;
    }
    const bool made_name = !object.metadata.generate_name.empty() &&
                           call.body.text("metadata.name").empty() &&
                           created.error().code == Code::kAlreadyExists;
    if (!made_name || attempt == kNameAttempts) return created.error();
    object.metadata.name =
        k8s::generated_name(object.metadata.generate_name, make_suffix(call.services.random));
    object.metadata.uid = new_uid(call, object);
  }
}

template <CreatableKind T, class View = Itself<T>>
Result<Response> create_object(Call& call) {
  ASSIGN_OR_RETURN(const CreateRequest create, read_create(call));
  return create_with<T, View>(call, create);
}

// The object in call.body, by server-side apply.
template <ChangeableKind T, class View = Itself<T>>
Result<Response> create_applied(Call& call, const std::string& manager) {
  if constexpr (!KindTraits<T>::kCreatable) {
    return KindTraits<T>::not_creatable();
  } else {
    ASSIGN_OR_RETURN(CreateRequest create, read_create(call));
    create.key = {};  // applied twice it is the same object anyway: nothing need be remembered
    create.manager = manager;
    create.applied = true;
    if (call.body.text("metadata.name") != call.key().name) {
      return invalid_argument("NAME_MISMATCH",
                              "the name of the object does not match the name in the path",
                              "metadata.name");
    }
    TRY(check_means_none(call.body));
    return create_with<T, View>(call, create);
  }
}

}  // namespace paddock::api

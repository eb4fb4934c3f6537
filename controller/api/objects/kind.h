// What the API asks of every kind of object. A kind answers all of it in its own KindTraits, which
// stand beside its handlers, and says so too where there is nothing to check or to do. An answer
// that is missing, or has another signature, does not compile: no check is left out unseen.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"
#include "controller/auth/principal.h"
#include "controller/k8s/selectors.h"
#include "controller/store/store.h"

namespace paddock::reconciler {
class QueueReservation;
}

namespace paddock::api {

struct Call;
struct DeleteOptions;
struct ListQuery;
struct Services;

// There is no answer that holds for any kind.
template <class T>
struct KindTraits;

template <class T>
concept ReadableKind = requires {
  // What field selectors may ask.
  { &KindTraits<T>::selectable_fields } -> std::same_as<k8s::Labels (*)(const T&)>;
  // Fills in facts that are not stored with the object.
  { &KindTraits<T>::complete } -> std::same_as<void (*)(Services&, T&)>;
  // Whether there are none: then watches tell of changes in the stored words.
  { KindTraits<T>::kStoredWhole } -> std::same_as<const bool&>;
  // Whether they follow from the object and the time: then a standby, which hears no node and
  // counts no quota, shows it as well.
  { KindTraits<T>::kOfStoreAlone } -> std::same_as<const bool&>;
  // Who may see it: every route that reads it asks for this scope.
  { KindTraits<T>::kReadScope } -> std::same_as<const auth::Scope&>;
  // What the store may leave out of a list by itself.
  { &KindTraits<T>::narrow } -> std::same_as<void (*)(const ListQuery&, store::ListOptions&)>;
};

// What the audit log says about an object, beside its name.
template <class T>
concept AuditedKind = requires {
  {
    &KindTraits<T>::audit_details
    } -> std::same_as<std::map<std::string, std::string> (*)(const T&)>;
};

template <class T>
concept CreatableKind = ReadableKind<T> && AuditedKind<T> && KindTraits<T>::kCreatable && requires {
  // Keeps who made it, where the kind tells that.
  { &KindTraits<T>::note_maker } -> std::same_as<void (*)(T&, const std::string& subject)>;
  // Whether the caller may do itself what the new object would let its holder do.
  { &KindTraits<T>::check_maker } -> std::same_as<Status (*)(const auth::Principal&, const T&)>;
  // A new object as its caller wants it: admission fills in the rest or refuses.
  { &KindTraits<T>::prepare_new } -> std::same_as<Status (*)(Services&, T&)>;
  // What is held for it until it is stored.
  {
    &KindTraits<T>::reserve_queue
    } -> std::same_as<Result<reconciler::QueueReservation> (*)(Services&, const T&)>;
  {
    &KindTraits<T>::save_new
    } -> std::same_as<Status (*)(Services&, store::WriteTxn&, T&, WallTime)>;
  // Once it is stored, and not tried only: what may be done at once instead of with the first use.
  { &KindTraits<T>::after_create } -> std::same_as<Status (*)(const Call&, T&)>;
  // What the audit log calls it.
  { &KindTraits<T>::create_event } -> std::same_as<std::string_view (*)(const T&)>;
};

// Kinds that callers do not make, and what an apply is told that finds no object to change.
template <class T>
concept GivenKind = !KindTraits<T>::kCreatable && requires {
  { &KindTraits<T>::not_creatable } -> std::same_as<Error (*)()>;
};

template <class T>
concept MadeKind = CreatableKind<T> || GivenKind<T>;

template <class T>
concept ChangeableKind = ReadableKind<T> && AuditedKind<T> && MadeKind<T> && requires {
  // Whether the caller may make this change; of kinds for which the route's scope is not all. Notes
  // who it is in `next` where the kind keeps that.
  {
    &KindTraits<T>::check_changer
    } -> std::same_as<Status (*)(const auth::Principal&, const T& live, T& next)>;
  // Whether `next`, a caller's wish, may replace `live`; fills in what follows from the rules of
  // the kind. FailedPrecondition (FIELD_IMMUTABLE) with a cause per field.
  { &KindTraits<T>::check_update } -> std::same_as<Status (*)(Services&, const T& live, T& next)>;
  // Likewise for a status that an administrator writes.
  { &KindTraits<T>::check_status_update } -> std::same_as<Status (*)(const T& live, const T& next)>;
  // Stores an object that passed its checks, and wakes who must look.
  {
    &KindTraits<T>::save_update
    } -> std::same_as<Status (*)(Services&, store::WriteTxn&, T&, WallTime)>;
  // What the audit log calls the change: `next` is what is stored of it.
  {
    &KindTraits<T>::update_events
    } -> std::same_as<std::vector<std::string_view> (*)(const T& live, const T& next)>;
  // Once the change is stored, and not tried only: what others waited for. Also of one that changes
  // nothing: somebody wants the object so.
  { &KindTraits<T>::after_update } -> std::same_as<Status (*)(const Call&, T&)>;
  // What becomes of it, once changed, if its deletion was asked for before.
  { &KindTraits<T>::let_go } -> std::same_as<Status (*)(store::WriteTxn&, const T&, WallTime)>;
};

template <class T>
concept DeletableKind = ReadableKind<T> && AuditedKind<T> && requires {
  // What stands for one that this version cannot read when it is deleted, with all that is known of
  // it: nothing holds it, and check_remover is as strict with it as with any.
  {
    &KindTraits<T>::stand_in
    } -> std::same_as<T (*)(contracts::ObjectMeta, const store::ObjectHead&)>;
  // Whether the caller may end it; of kinds for which the route's scope is not all.
  { &KindTraits<T>::check_remover } -> std::same_as<Status (*)(const auth::Principal&, const T&)>;
  // Whether it may go now, before anything is written; wakes who must look. What an object is read
  // by keeps what it sees.
  {
    &KindTraits<T>::prepare_delete
    } -> std::same_as<Status (*)(store::WriteTxn&, const T&, WallTime)>;
  // Stores one whose deletion was asked for and that a finalizer keeps. It is a record from then
  // on: a token opens nothing, a session takes no command, a grant gives nothing.
  { &KindTraits<T>::save_marked } -> std::same_as<Status (*)(store::WriteTxn&, T&, WallTime)>;
  // Erases it or marks it; whether it is gone.
  {
    &KindTraits<T>::remove
    } -> std::same_as<Result<bool> (*)(store::WriteTxn&, const Call&, T&, const DeleteOptions&)>;
  // What the audit log calls it.
  { &KindTraits<T>::delete_event } -> std::same_as<std::string_view (*)(const T&)>;
  // What the caller that deleted it is told of how that went.
  {
    &KindTraits<T>::deletion_warnings
    } -> std::same_as<std::vector<std::string> (*)(const T&, const DeleteOptions&)>;
};

}  // namespace paddock::api

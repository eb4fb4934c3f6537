// What the API asks of the kind Secret.
#pragma once

#include "common/contracts/secret.h"
#include "controller/api/objects/common_answers.h"
#include "controller/reconciler/queue_reservation.h"

namespace paddock::api {

template <>
struct KindTraits<contracts::Secret> {
  using Secret = contracts::Secret;
  static k8s::Labels selectable_fields(const Secret& object);
  static void complete(Services&, Secret&) {}
  static constexpr bool kStoredWhole = true;
  static constexpr bool kOfStoreAlone = true;
  static constexpr auth::Scope kReadScope = auth::Scope::kSecretsRead;
  static void narrow(const ListQuery&, store::ListOptions&) {}
  // The names of its values.
  static std::map<std::string, std::string> audit_details(const Secret& object);

  static constexpr bool kCreatable = true;
  static void note_maker(Secret& object, const std::string& subject);
  static Status check_maker(const auth::Principal&, const Secret&) { return {}; }
  static Status prepare_new(Services& services, Secret& object);
  static Result<reconciler::QueueReservation> reserve_queue(Services&, const Secret&) {
    return reconciler::QueueReservation();
  }
  // Seals the values. The caller's copy, like the stored object, is left without them.
  static Status save_new(Services& services, store::WriteTxn& txn, Secret& object, WallTime now);
  static Status after_create(const Call&, Secret&) { return {}; }
  static std::string_view create_event(const Secret&) { return contracts::audit::kObjectCreate; }

  static Status check_changer(const auth::Principal& changer, const Secret& live, Secret& next);
  // The values stay in `next` until it is saved. Nothing is read of the store here.
  static Status check_update(Services& services, const Secret& live, Secret& next);
  static Status check_status_update(const Secret&, const Secret&) {
    return refuse_status("secret");
  }
  static Status save_update(Services& services, store::WriteTxn& txn, Secret& next, WallTime now);
  static std::vector<std::string_view> update_events(const Secret&, const Secret&) {
    return {contracts::audit::kObjectUpdate};
  }
  static Status after_update(const Call&, Secret&) { return {}; }
  static Status let_go(store::WriteTxn& txn, const Secret& object, WallTime now) {
    return erase_if_free(txn, object, now);
  }

  static Secret stand_in(contracts::ObjectMeta meta, const store::ObjectHead&) {
    return bare<Secret>(std::move(meta));
  }
  static Status check_remover(const auth::Principal&, const Secret&) { return {}; }
  static Status prepare_delete(store::WriteTxn&, const Secret&, WallTime) { return {}; }
  static Status save_marked(store::WriteTxn& txn, Secret& object, WallTime) {
    return txn.update(object);
  }
  static Result<bool> remove(store::WriteTxn& txn, const Call& call, Secret& object,
                             const DeleteOptions& options) {
    return mark_or_erase(txn, object, options, call.now());
  }
  static std::string_view delete_event(const Secret&) { return contracts::audit::kObjectDelete; }
  static std::vector<std::string> deletion_warnings(const Secret&, const DeleteOptions&) {
    return {};
  }
};

}  // namespace paddock::api

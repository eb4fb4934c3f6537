// What the API asks of the kind Grant.
#pragma once

#include "common/contracts/grant.h"
#include "controller/api/objects/common_answers.h"
#include "controller/reconciler/queue_reservation.h"

namespace paddock::api {

template <>
struct KindTraits<contracts::Grant> {
  using Grant = contracts::Grant;
  static k8s::Labels selectable_fields(const Grant& object) {
    return common_fields(object.metadata);
  }
  static void complete(Services& services, Grant& object);
  static constexpr bool kStoredWhole = false;
  static constexpr bool kOfStoreAlone = false;
  static constexpr auth::Scope kReadScope = auth::Scope::kGrantsRead;
  static void narrow(const ListQuery&, store::ListOptions&) {}
  static std::map<std::string, std::string> audit_details(const Grant&) { return {}; }

  static constexpr bool kCreatable = true;
  static void note_maker(Grant&, const std::string&) {}
  // A quota is set, changed and removed by administrators of all namespaces alone.
  static Status check_maker(const auth::Principal& maker, const Grant& object);
  static Status prepare_new(Services& services, Grant& object);
  static Result<reconciler::QueueReservation> reserve_queue(Services&, const Grant&) {
    return reconciler::QueueReservation();
  }
  static Status save_new(Services& services, store::WriteTxn& txn, Grant& object, WallTime now);
  static Status after_create(const Call&, Grant&) { return {}; }
  static std::string_view create_event(const Grant&) { return contracts::audit::kObjectCreate; }

  static Status check_changer(const auth::Principal& changer, const Grant& live, Grant& next);
  static Status check_update(Services& services, const Grant& live, Grant& next);
  static Status check_status_update(const Grant&, const Grant&) { return refuse_status("grant"); }
  static Status save_update(Services& services, store::WriteTxn& txn, Grant& next, WallTime now);
  static std::vector<std::string_view> update_events(const Grant&, const Grant&) {
    return {contracts::audit::kObjectUpdate};
  }
  static Status after_update(const Call&, Grant&) { return {}; }
  static Status let_go(store::WriteTxn& txn, const Grant& object, WallTime now) {
    return erase_if_free(txn, object, now);
  }

  // A grant that cannot be read may have been a quota, and is treated as one.
  static Grant stand_in(contracts::ObjectMeta meta, const store::ObjectHead& head);
  static Status check_remover(const auth::Principal& remover, const Grant& object);
  static Status prepare_delete(store::WriteTxn& txn, const Grant& object, WallTime now);
  // A grant that is marked for deletion gives nothing and bounds nothing any more.
  static Status save_marked(store::WriteTxn& txn, Grant& object, WallTime now);
  static Result<bool> remove(store::WriteTxn& txn, const Call& call, Grant& object,
                             const DeleteOptions& options) {
    return mark_or_erase(txn, object, options, call.now());
  }
  static std::string_view delete_event(const Grant&) { return contracts::audit::kObjectDelete; }
  static std::vector<std::string> deletion_warnings(const Grant&, const DeleteOptions&) {
    return {};
  }
};

}  // namespace paddock::api

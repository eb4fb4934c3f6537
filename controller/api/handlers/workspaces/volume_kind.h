// What the API asks of the kind Volume.
#pragma once

#include "common/contracts/volume.h"
#include "controller/api/objects/common_answers.h"
#include "controller/reconciler/queue_reservation.h"

namespace paddock::api {

template <>
struct KindTraits<contracts::Volume> {
  using Volume = contracts::Volume;
  static k8s::Labels selectable_fields(const Volume& object) {
    return common_fields(object.metadata);
  }
  static void complete(Services&, Volume&) {}
  static constexpr bool kStoredWhole = true;
  static constexpr bool kOfStoreAlone = true;
  static constexpr auth::Scope kReadScope = auth::Scope::kWorkspacesRead;
  static void narrow(const ListQuery&, store::ListOptions&) {}
  static std::map<std::string, std::string> audit_details(const Volume&) { return {}; }

  static constexpr bool kCreatable = false;
  static Error not_creatable();

  static Status check_changer(const auth::Principal&, const Volume&, Volume&) { return {}; }
  // A volume is what was published: only its labels and annotations change.
  static Status check_update(Services&, const Volume&, Volume&) { return {}; }
  static Status check_status_update(const Volume&, const Volume&) {
    return refuse_status("volume");
  }
  static Status save_update(Services&, store::WriteTxn& txn, Volume& next, WallTime) {
    return txn.update(next);
  }
  static std::vector<std::string_view> update_events(const Volume&, const Volume&) {
    return {contracts::audit::kObjectUpdate};
  }
  static Status after_update(const Call&, Volume&) { return {}; }
  static Status let_go(store::WriteTxn& txn, const Volume& object, WallTime now) {
    return erase_if_free(txn, object, now);
  }

  static Volume stand_in(contracts::ObjectMeta meta, const store::ObjectHead&) {
    return bare<Volume>(std::move(meta));
  }
  static Status check_remover(const auth::Principal&, const Volume&) { return {}; }
  static Status prepare_delete(store::WriteTxn&, const Volume&, WallTime) { return {}; }
  static Status save_marked(store::WriteTxn& txn, Volume& object, WallTime) {
    return txn.update(object);
  }
  static Result<bool> remove(store::WriteTxn& txn, const Call& call, Volume& object,
                             const DeleteOptions& options) {
    return mark_or_erase(txn, object, options, call.now());
  }
  static std::string_view delete_event(const Volume&) { return contracts::audit::kObjectDelete; }
  static std::vector<std::string> deletion_warnings(const Volume&, const DeleteOptions&) {
    return {};
  }
};

}  // namespace paddock::api

// What the API asks of the kind Workspace.
#pragma once

#include "common/contracts/workspace.h"
#include "controller/api/objects/common_answers.h"
#include "controller/api/objects/spec_differences.h"
#include "controller/reconciler/queue_reservation.h"

namespace paddock::api {

template <>
struct KindTraits<contracts::Workspace> {
  using Workspace = contracts::Workspace;
  static k8s::Labels selectable_fields(const Workspace& object) {
    return common_fields(object.metadata);
  }
  static void complete(Services&, Workspace&) {}
  static constexpr bool kStoredWhole = true;
  static constexpr bool kOfStoreAlone = true;
  static constexpr auth::Scope kReadScope = auth::Scope::kWorkspacesRead;
  static void narrow(const ListQuery&, store::ListOptions&) {}
  static std::map<std::string, std::string> audit_details(const Workspace&) { return {}; }

  static constexpr bool kCreatable = true;
  static void note_maker(Workspace&, const std::string&) {}
  static Status check_maker(const auth::Principal&, const Workspace&) { return {}; }
  static Status prepare_new(Services&, Workspace&) { return {}; }
  static Result<reconciler::QueueReservation> reserve_queue(Services&, const Workspace&) {
    return reconciler::QueueReservation();
  }
  static Status save_new(Services&, store::WriteTxn& txn, Workspace& object, WallTime) {
    return txn.create(object);
  }
  static Status after_create(const Call&, Workspace&) { return {}; }
  static std::string_view create_event(const Workspace&) { return contracts::audit::kObjectCreate; }

  static Status check_changer(const auth::Principal&, const Workspace&, Workspace&) { return {}; }
  static Status check_update(Services&, const Workspace& live, Workspace& next) {
    if (spec_differs(live, next)) ++next.metadata.generation;
    return {};
  }
  static Status check_status_update(const Workspace&, const Workspace&) {
    return refuse_status("workspace");
  }
  static Status save_update(Services&, store::WriteTxn& txn, Workspace& next, WallTime) {
    return txn.update(next);
  }
  static std::vector<std::string_view> update_events(const Workspace&, const Workspace&) {
    return {contracts::audit::kObjectUpdate};
  }
  static Status after_update(const Call&, Workspace&) { return {}; }
  static Status let_go(store::WriteTxn& txn, const Workspace& object, WallTime now) {
    return erase_if_free(txn, object, now);
  }

  static Workspace stand_in(contracts::ObjectMeta meta, const store::ObjectHead&) {
    return bare<Workspace>(std::move(meta));
  }
  static Status check_remover(const auth::Principal&, const Workspace&) { return {}; }
  static Status prepare_delete(store::WriteTxn&, const Workspace&, WallTime) { return {}; }
  static Status save_marked(store::WriteTxn& txn, Workspace& object, WallTime) {
    return txn.update(object);
  }
  static Result<bool> remove(store::WriteTxn& txn, const Call& call, Workspace& object,
                             const DeleteOptions& options) {
    return mark_or_erase(txn, object, options, call.now());
  }
  static std::string_view delete_event(const Workspace&) { return contracts::audit::kObjectDelete; }
  static std::vector<std::string> deletion_warnings(const Workspace&, const DeleteOptions&) {
    return {};
  }
};

}  // namespace paddock::api

// What the API asks of the kind Run.
#pragma once

#include "common/contracts/run.h"
#include "controller/api/objects/common_answers.h"
#include "controller/api/objects/list_query.h"
#include "controller/reconciler/queue_reservation.h"

namespace paddock::api {

template <>
struct KindTraits<contracts::Run> {
  using Run = contracts::Run;
  static k8s::Labels selectable_fields(const Run& object);
  static void complete(Services&, Run&) {}
  static constexpr bool kStoredWhole = true;
  static constexpr bool kOfStoreAlone = true;
  static constexpr auth::Scope kReadScope = auth::Scope::kRunsRead;
  // Lists of runs that have not ended are read by themselves.
  static void narrow(const ListQuery& query, store::ListOptions& options) {
    options.active = wants_active_runs(query);
  }
  static std::map<std::string, std::string> audit_details(const Run&) { return {}; }

  static constexpr bool kCreatable = true;
  static void note_maker(Run& object, const std::string& subject) {
    object.status.created_by = subject;
  }
  // A caller who may only make runs must not make one that is given Secrets or other things kept in
  // the namespace: each of these needs a scope of its own.
  static Status check_maker(const auth::Principal& maker, const Run& object);
  static Status prepare_new(Services& services, Run& object);
  static Result<reconciler::QueueReservation> reserve_queue(Services& services, const Run& object);
  static Status save_new(Services& services, store::WriteTxn& txn, Run& object, WallTime now);
  static Status after_create(const Call&, Run&) { return {}; }
  static std::string_view create_event(const Run&) { return contracts::audit::kObjectCreate; }

  static Status check_changer(const auth::Principal&, const Run&, Run&) { return {}; }
  // A run is what was admitted: only its labels and annotations change, and it can be canceled.
  static Status check_update(Services& services, const Run& live, Run& next);
  static Status check_status_update(const Run& live, const Run& next);
  static Status save_update(Services& services, store::WriteTxn& txn, Run& next, WallTime now);
  static std::vector<std::string_view> update_events(const Run& live, const Run& next);
  static Status after_update(const Call&, Run&) { return {}; }
  // A run whose deletion was asked for may have to end first; the code that ends it also removes
  // it.
  static Status let_go(store::WriteTxn&, const Run&, WallTime) { return {}; }

  // Over: nobody waits for its node, which hears that it is no more.
  static Run stand_in(contracts::ObjectMeta meta, const store::ObjectHead& head);
  static Status check_remover(const auth::Principal&, const Run&) { return {}; }
  static Status prepare_delete(store::WriteTxn& txn, const Run& object, WallTime now);
  static Status save_marked(store::WriteTxn& txn, Run& object, WallTime) {
    return txn.update(object);
  }
  // A run is ended first: one that waits at once, a placed one by its node.
  static Result<bool> remove(store::WriteTxn& txn, const Call& call, Run& run,
                             const DeleteOptions& options);
  static std::string_view delete_event(const Run&) { return contracts::audit::kObjectDelete; }
  static std::vector<std::string> deletion_warnings(const Run& run, const DeleteOptions& options);
};

}  // namespace paddock::api

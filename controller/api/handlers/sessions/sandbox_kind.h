// What the API asks of the kind Sandbox.
#pragma once

#include "common/contracts/sandbox.h"
#include "controller/api/objects/common_answers.h"
#include "controller/reconciler/queue_reservation.h"

namespace paddock::api {

template <>
struct KindTraits<contracts::Sandbox> {
  using Sandbox = contracts::Sandbox;
  static k8s::Labels selectable_fields(const Sandbox& object);
  static void complete(Services& services, Sandbox& object);
  // A session is not Ready while its node is away or has a fault: what is stored of that may be a
  // moment old.
  static Status look_around(Services& services, Sandbox& object);
  static constexpr bool kStoredWhole = false;
  static constexpr bool kOfStoreAlone = true;
  static constexpr auth::Scope kReadScope = auth::Scope::kRunsRead;
  static void narrow(const ListQuery&, store::ListOptions&) {}
  // How long it lives, and whether it is suspended: what of it can be changed.
  static std::map<std::string, std::string> audit_details(const Sandbox& object);

  static constexpr bool kCreatable = true;
  static void note_maker(Sandbox& object, const std::string& subject) {
    object.status.created_by = subject;
  }
  static Status check_maker(const auth::Principal&, const Sandbox&) { return {}; }
  static Status prepare_new(Services& services, Sandbox& object);
  // If nothing bounds the namespace, this does not wait for the scheduler's cache.
  static Result<reconciler::QueueReservation> reserve_queue(Services& services,
                                                            const Sandbox& object);
  static Status save_new(Services& services, store::WriteTxn& txn, Sandbox& object, WallTime now);
  // Asks its node to make the session, and other nodes if that one refuses. If all refuse, the
  // record is erased again.
  static Status after_create(const Call& call, Sandbox& object);
  static std::string_view create_event(const Sandbox&) { return contracts::audit::kSandboxCreate; }

  static Status check_changer(const auth::Principal&, const Sandbox&, Sandbox&) { return {}; }
  // The policy holds for the session's whole life, and so does all else but how long that is and
  // its suspension.
  static Status check_update(Services& services, const Sandbox& live, Sandbox& next);
  static Status check_status_update(const Sandbox&, const Sandbox&) {
    return refuse_status("sandbox");
  }
  static Status save_update(Services& services, store::WriteTxn& txn, Sandbox& next, WallTime now);
  static std::vector<std::string_view> update_events(const Sandbox&, const Sandbox&) {
    return {contracts::audit::kObjectUpdate};
  }
  static Status after_update(const Call&, Sandbox&) { return {}; }
  static Status let_go(store::WriteTxn& txn, const Sandbox& object, WallTime now) {
    return erase_if_free(txn, object, now);
  }

  static Sandbox stand_in(contracts::ObjectMeta meta, const store::ObjectHead& head);
  static Status check_remover(const auth::Principal&, const Sandbox&) { return {}; }
  static Status prepare_delete(store::WriteTxn& txn, const Sandbox& object, WallTime now);
  static Status save_marked(store::WriteTxn& txn, Sandbox& object, WallTime now);
  static Result<bool> remove(store::WriteTxn& txn, const Call& call, Sandbox& object,
                             const DeleteOptions& options) {
    return mark_or_erase(txn, object, options, call.now());
  }
  // The end of a session is recorded once: where it had ended before, only the deletion is.
  static std::string_view delete_event(const Sandbox& session) {
    return session.status.phase == contracts::SandboxPhase::kEnded
               ? contracts::audit::kObjectDelete
               : contracts::audit::kSandboxDestroy;
  }
  static std::vector<std::string> deletion_warnings(const Sandbox&, const DeleteOptions&) {
    return {};
  }
};

}  // namespace paddock::api

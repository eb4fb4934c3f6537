// What the API asks of the kind ToolToken.
#pragma once

#include "common/contracts/tool_token.h"
#include "controller/api/objects/common_answers.h"
#include "controller/reconciler/queue_reservation.h"

namespace paddock::api {

template <>
struct KindTraits<contracts::ToolToken> {
  using ToolToken = contracts::ToolToken;
  static k8s::Labels selectable_fields(const ToolToken& object);
  static void complete(Services& services, ToolToken& object);
  static constexpr bool kStoredWhole = false;
  static constexpr bool kOfStoreAlone = true;
  static constexpr auth::Scope kReadScope = auth::Scope::kRunsRead;
  static void narrow(const ListQuery&, store::ListOptions&) {}
  static std::map<std::string, std::string> audit_details(const ToolToken&) { return {}; }

  static constexpr bool kCreatable = true;
  static void note_maker(ToolToken&, const std::string&) {}
  static Status check_maker(const auth::Principal& maker, const ToolToken& object);
  static Status prepare_new(Services& services, ToolToken& object);
  static Result<reconciler::QueueReservation> reserve_queue(Services&, const ToolToken&) {
    return reconciler::QueueReservation();
  }
  // The object is stored without its secret; the caller's copy keeps it for the answer.
  static Status save_new(Services& services, store::WriteTxn& txn, ToolToken& object, WallTime now);
  static Status after_create(const Call&, ToolToken&) { return {}; }
  static std::string_view create_event(const ToolToken&) { return contracts::audit::kObjectCreate; }

  static Status check_changer(const auth::Principal&, const ToolToken&, ToolToken&) { return {}; }
  // Refuses a change of what the credential is good for: that is decided when it is made.
  static Status check_update(Services& services, const ToolToken& live, ToolToken& next);
  static Status check_status_update(const ToolToken&, const ToolToken&) {
    return refuse_status("tool token");
  }
  static Status save_update(Services&, store::WriteTxn& txn, ToolToken& next, WallTime) {
    return txn.update(next);
  }
  static std::vector<std::string_view> update_events(const ToolToken&, const ToolToken&) {
    return {contracts::audit::kObjectUpdate};
  }
  static Status after_update(const Call&, ToolToken&) { return {}; }
  static Status let_go(store::WriteTxn& txn, const ToolToken& object, WallTime now) {
    return erase_if_free(txn, object, now);
  }

  static ToolToken stand_in(contracts::ObjectMeta meta, const store::ObjectHead&) {
    return bare<ToolToken>(std::move(meta));
  }
  static Status check_remover(const auth::Principal&, const ToolToken&) { return {}; }
  // The tokens that this token made end with it.
  static Status prepare_delete(store::WriteTxn& txn, const ToolToken& object, WallTime now);
  static Status save_marked(store::WriteTxn& txn, ToolToken& object, WallTime now);
  static Result<bool> remove(store::WriteTxn& txn, const Call& call, ToolToken& object,
                             const DeleteOptions& options) {
    return mark_or_erase(txn, object, options, call.now());
  }
  static std::string_view delete_event(const ToolToken&) { return contracts::audit::kObjectDelete; }
  static std::vector<std::string> deletion_warnings(const ToolToken&, const DeleteOptions&) {
    return {};
  }
};

// Gives the token its secret and its times; the run it is for must be one that has not ended:
// RUN_FINISHED. RUN_IS_ARRAY where an operation is of single runs.
Status issue_tool_token(contracts::ToolToken& token, const contracts::Run& run, Services& services,
                        WallTime now);
// RUN_NOT_FOUND.
Result<contracts::Run> run_named(Services& services, const store::Key& key);

}  // namespace paddock::api

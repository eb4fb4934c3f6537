// What the API asks of the kinds of agents.x-k8s.io that are stored beside sessions, alike for all.
#pragma once

#include "common/contracts/agent_sandbox.h"
#include "controller/agent_sandboxes/claims.h"
#include "controller/agent_sandboxes/fields.h"
#include "controller/api/objects/common_answers.h"
#include "controller/api/objects/spec_differences.h"
#include "controller/api/objects/views.h"
#include "controller/reconciler/queue_reservation.h"

namespace paddock::api {

template <class T>
struct StoredAgentKind {
  static k8s::Labels selectable_fields(const T& object) { return common_fields(object.metadata); }
  static void complete(Services&, T&) {}
  static constexpr bool kStoredWhole = true;
  static constexpr bool kOfStoreAlone = true;
  static constexpr auth::Scope kReadScope = auth::Scope::kRunsRead;
  static void narrow(const ListQuery&, store::ListOptions&) {}
  static std::map<std::string, std::string> audit_details(const T&) { return {}; }

  static constexpr bool kCreatable = true;
  static void note_maker(T&, const std::string&) {}
  static Status check_maker(const auth::Principal&, const T&) { return {}; }
  static Status prepare_new(Services&, T&) { return {}; }
  static Result<reconciler::QueueReservation> reserve_queue(Services&, const T&) {
    return reconciler::QueueReservation();
  }
  static Status save_new(Services&, store::WriteTxn& txn, T& object, WallTime) {
    return txn.create(object);
  }
  static std::string_view create_event(const T&) { return contracts::audit::kObjectCreate; }

  static Status check_changer(const auth::Principal&, const T&, T&) { return {}; }
  static Status check_update(Services&, const T& live, T& next) {
    if (spec_differs(live, next)) next.metadata.generation += 1;
    return {};
  }
  static Status check_status_update(const T&, const T&) { return refuse_status("sandbox"); }
  static Status save_update(Services&, store::WriteTxn& txn, T& next, WallTime) {
    return txn.update(next);
  }
  static std::vector<std::string_view> update_events(const T&, const T&) {
    return {contracts::audit::kObjectUpdate};
  }
  static T stand_in(contracts::ObjectMeta meta, const store::ObjectHead&) {
    return bare<T>(std::move(meta));
  }
  static Status check_remover(const auth::Principal&, const T&) { return {}; }
  static Status prepare_delete(store::WriteTxn&, const T&, WallTime) { return {}; }
  static Status save_marked(store::WriteTxn& txn, T& object, WallTime) {
    return txn.update(object);
  }
  static std::string_view delete_event(const T&) { return contracts::audit::kObjectDelete; }
  static std::vector<std::string> deletion_warnings(const T&, const DeleteOptions&) { return {}; }
};

template <>
struct KindTraits<contracts::SandboxTemplate> : StoredAgentKind<contracts::SandboxTemplate> {
  using T = contracts::SandboxTemplate;
  // Claims that wait are given their sandboxes.
  static Status after_create(const Call& call, T& object);
  static Status after_update(const Call& call, T& object);
  static Status let_go(store::WriteTxn& txn, const T& object, WallTime now);
  static Result<bool> remove(store::WriteTxn& txn, const Call& call, T& object,
                             const DeleteOptions& options);
};

template <>
struct KindTraits<contracts::SandboxWarmPool> : StoredAgentKind<contracts::SandboxWarmPool> {
  using T = contracts::SandboxWarmPool;
  static Status prepare_new(Services& services, T& object);
  static Status after_create(const Call& call, T& object);
  static Status after_update(const Call& call, T& object);
  static Status let_go(store::WriteTxn& txn, const T& object, WallTime now);
  static Result<bool> remove(store::WriteTxn& txn, const Call& call, T& object,
                             const DeleteOptions& options);
};

template <>
struct KindTraits<contracts::SandboxClaim> : StoredAgentKind<contracts::SandboxClaim> {
  using T = contracts::SandboxClaim;
  static Status prepare_new(Services& services, T& object);
  // Gives a claim its sandbox, or writes into its status why there is none.
  static Status after_create(const Call& call, T& object);
  static Status check_update(Services& services, const T& live, T& next);
  // Tries again to give a claim a sandbox if it has none yet.
  static Status after_update(const Call& call, T& object);
  static Status let_go(store::WriteTxn& txn, const T& object, WallTime now);
  // A claim's sandbox ends with the claim.
  static Status prepare_delete(store::WriteTxn& txn, const T& object, WallTime now);
  static Result<bool> remove(store::WriteTxn& txn, const Call& call, T& object,
                             const DeleteOptions& options);
};

template <class T>
struct AgentView : Itself<T> {
  static constexpr const char* kApiVersion = contracts::kAgentExtensionsApiVersion;
  static constexpr bool kShownAsStored = false;  // its managed fields are of its own group
  static wire::Value object(T stored) {
    for (auto& entry : stored.metadata.managed_fields) entry.api_version = kApiVersion;
    wire::Value shown = wire::encode(stored);
    agent_sandboxes::add_times(shown);
    return shown;
  }
  static wire::Value cells(const T& stored, WallTime now);
  static wire::Value columns();
  static Result<T> made(const Services& services, const Written& written);
  static Result<T> changed(const Services& services, const T&, const Written& written) {
    return made(services, written);
  }
};

#define PADDOCK_AGENT_VIEW(T)                                     \
  template <>                                                     \
  wire::Value AgentView<T>::cells(const T& stored, WallTime now); \
  template <>                                                     \
  wire::Value AgentView<T>::columns();                            \
  template <>                                                     \
  Result<T> AgentView<T>::made(const Services& services, const Written& written)
PADDOCK_AGENT_VIEW(contracts::SandboxTemplate);
PADDOCK_AGENT_VIEW(contracts::SandboxWarmPool);
PADDOCK_AGENT_VIEW(contracts::SandboxClaim);
#undef PADDOCK_AGENT_VIEW

}  // namespace paddock::api

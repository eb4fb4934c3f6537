// What differs from kind to kind when the API reads and writes objects, as one set of overloads per
// kind. A new kind joins by its overloads here, its row in k8s/resources.h, its columns in
// k8s/table.cc and its line in routes.cc.
#pragma once

#include "common/contracts/grant.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/secret.h"
#include "common/contracts/tool_token.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"
#include "controller/api/server/services.h"
#include "controller/auth/principal.h"
#include "controller/k8s/selectors.h"

namespace paddock::api {

struct Call;

// What field selectors may ask.
k8s::Labels selectable_fields(const contracts::Run& run);
k8s::Labels selectable_fields(const contracts::Workspace& workspace);
k8s::Labels selectable_fields(const contracts::Volume& volume);
k8s::Labels selectable_fields(const contracts::Node& node);
k8s::Labels selectable_fields(const contracts::ToolToken& token);
k8s::Labels selectable_fields(const contracts::Grant& grant);
k8s::Labels selectable_fields(const contracts::Sandbox& session);
k8s::Labels selectable_fields(const contracts::Secret& secret);

// Facts that are not stored with the object.
inline void complete(Services&, contracts::Run&) {}
inline void complete(Services&, contracts::Workspace&) {}
inline void complete(Services&, contracts::Volume&) {}
inline void complete(Services&, contracts::Secret&) {}
void complete(Services& services, contracts::Node& node);
void complete(Services& services, contracts::Sandbox& session);
void complete(Services& services, contracts::ToolToken& token);
void complete(Services& services, contracts::Grant& grant);

// A new object as its caller wants it: admission fills in the rest or refuses.
Status prepare_new(Services& services, contracts::Run& run);
inline Status prepare_new(Services&, contracts::Workspace&) { return {}; }
Status prepare_new(Services& services, contracts::ToolToken& token);
Status prepare_new(Services& services, contracts::Grant& grant);
Status prepare_new(Services& services, contracts::Sandbox& session);
Status prepare_new(Services& services, contracts::Secret& secret);
// What is held for it until it is stored.
Result<reconciler::QueueRoom> take_room(Services& services, const contracts::Run& run);
Result<reconciler::QueueRoom> take_room(Services& services, const contracts::Sandbox& session);
template <class T>
Result<reconciler::QueueRoom> take_room(Services&, const T&) {
  return reconciler::QueueRoom();
}
// Whether the caller may do itself what the new object would let its holder do.
Status check_maker(const auth::Principal& maker, const contracts::ToolToken& token);
Status check_maker(const auth::Principal& maker, const contracts::Grant& grant);
Status check_maker(const auth::Principal& maker, const contracts::Run& run);
// Likewise what a change of it would, and its end; of kinds for which the route's scope is not all.
Status check_changer(const auth::Principal& changer, const contracts::Grant& live,
                     const contracts::Grant& next);
Status check_remover(const auth::Principal& remover, const contracts::Grant& grant);
Status save_new(store::WriteTxn& txn, contracts::Run& run, WallTime now);
Status save_new(store::WriteTxn& txn, contracts::Workspace& workspace, WallTime now);
Status save_new(store::WriteTxn& txn, contracts::ToolToken& token, WallTime now);
Status save_new(store::WriteTxn& txn, contracts::Grant& grant, WallTime now);
Status save_new(store::WriteTxn& txn, contracts::Sandbox& session, WallTime now);
// Its values are sealed; the caller's copy is without them, as the stored one is.
Status save_new(Services& services, store::WriteTxn& txn, contracts::Secret& secret, WallTime now);
template <class T>
Status save_new(Services&, store::WriteTxn& txn, T& object, WallTime now) {
  return save_new(txn, object, now);
}
// Once it is stored, and not tried only: what may be done at once instead of with the first use.
// What only its node can refuse is erased again.
Status after_create(const Call& call, contracts::Sandbox& session);

// Whether `next`, a caller's wish, may replace `live`; fills in what follows from the rules of the
// kind. FailedPrecondition (FIELD_IMMUTABLE) with a cause per field.
Status check_update(Services& services, const contracts::Run& live, contracts::Run& next);
Status check_update(Services& services, const contracts::Workspace& live,
                    contracts::Workspace& next);
Status check_update(Services& services, const contracts::Volume& live, contracts::Volume& next);
Status check_update(Services& services, const contracts::Node& live, contracts::Node& next);
Status check_update(Services& services, const contracts::ToolToken& live,
                    contracts::ToolToken& next);
Status check_update(Services& services, const contracts::Grant& live, contracts::Grant& next);
Status check_update(Services& services, const contracts::Sandbox& live, contracts::Sandbox& next);
Status check_update(Services& services, const contracts::Secret& live, contracts::Secret& next);
// Likewise for a status that an administrator writes.
Status check_status_update(const contracts::Run& live, const contracts::Run& next);
Status check_status_update(const contracts::Workspace& live, const contracts::Workspace& next);
Status check_status_update(const contracts::Volume& live, const contracts::Volume& next);
Status check_status_update(const contracts::Node& live, const contracts::Node& next);
Status check_status_update(const contracts::ToolToken& live, const contracts::ToolToken& next);
Status check_status_update(const contracts::Grant& live, const contracts::Grant& next);
Status check_status_update(const contracts::Sandbox& live, const contracts::Sandbox& next);
Status check_status_update(const contracts::Secret& live, const contracts::Secret& next);

// Whether it may go now, before anything is written; wakes who must look. What an object is read by
// keeps what it sees.
Status prepare_delete(store::WriteTxn& txn, const contracts::Run& run, WallTime now);
inline Status prepare_delete(store::WriteTxn&, const contracts::Workspace&, WallTime) { return {}; }
inline Status prepare_delete(store::WriteTxn&, const contracts::Volume&, WallTime) { return {}; }
inline Status prepare_delete(store::WriteTxn&, const contracts::Secret&, WallTime) { return {}; }
Status prepare_delete(store::WriteTxn& txn, const contracts::ToolToken& token, WallTime now);
Status prepare_delete(store::WriteTxn& txn, const contracts::Grant& grant, WallTime now);
Status prepare_delete(store::WriteTxn& txn, const contracts::Sandbox& session, WallTime now);

// Stores one whose deletion was asked for and that a finalizer keeps. It is a record from then on:
// a token opens nothing, a session takes no command.
template <class T>
Status save_marked(store::WriteTxn& txn, T& object, WallTime) {
  return txn.update(object);
}
Status save_marked(store::WriteTxn& txn, contracts::ToolToken& token, WallTime now);
Status save_marked(store::WriteTxn& txn, contracts::Sandbox& session, WallTime now);

// Stores an object that passed its check, and wakes who must look.
Status save_update(store::WriteTxn& txn, contracts::Run& next, WallTime now);
Status save_update(store::WriteTxn& txn, contracts::Workspace& next, WallTime now);
Status save_update(store::WriteTxn& txn, contracts::Volume& next, WallTime now);
Status save_update(store::WriteTxn& txn, contracts::Node& next, WallTime now);
Status save_update(store::WriteTxn& txn, contracts::ToolToken& next, WallTime now);
Status save_update(store::WriteTxn& txn, contracts::Grant& next, WallTime now);
Status save_update(store::WriteTxn& txn, contracts::Sandbox& next, WallTime now);
Status save_update(Services& services, store::WriteTxn& txn, contracts::Secret& next, WallTime now);
template <class T>
Status save_update(Services&, store::WriteTxn& txn, T& next, WallTime now) {
  return save_update(txn, next, now);
}

// What the audit log calls it when one comes and goes.
template <class T>
std::string_view create_event(const T&) {
  return contracts::audit::kObjectCreate;
}
template <class T>
std::string_view delete_event(const T&) {
  return contracts::audit::kObjectDelete;
}
// And what of it is told there beside its name.
template <class T>
std::map<std::string, std::string> audit_details(const T&) {
  return {};
}
std::map<std::string, std::string> audit_details(const contracts::Secret& secret);
inline std::string_view create_event(const contracts::Sandbox&) {
  return contracts::audit::kSandboxCreate;
}
// One that had ended was recorded then.
inline std::string_view delete_event(const contracts::Sandbox& session) {
  return session.status.phase == contracts::SandboxPhase::kEnded
             ? contracts::audit::kObjectDelete
             : contracts::audit::kSandboxDestroy;
}

}  // namespace paddock::api

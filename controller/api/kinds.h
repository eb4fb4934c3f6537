// What differs from kind to kind when the API reads and writes objects, as one set of overloads per
// kind. A new kind joins by its overloads here, its row in k8s/resources.h, its columns in
// k8s/table.cc and its line in routes.cc.
#pragma once

#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"
#include "controller/api/services.h"
#include "controller/k8s/selectors.h"

namespace paddock::api {

// What field selectors may ask.
k8s::Labels selectable_fields(const contracts::Run& run);
k8s::Labels selectable_fields(const contracts::Workspace& workspace);
k8s::Labels selectable_fields(const contracts::Volume& volume);
k8s::Labels selectable_fields(const contracts::Node& node);

// Facts that are not stored with the object.
inline void complete(Services&, contracts::Run&) {}
inline void complete(Services&, contracts::Workspace&) {}
inline void complete(Services&, contracts::Volume&) {}
void complete(Services& services, contracts::Node& node);

// A new object as its caller wants it: admission fills in the rest or refuses.
Status prepare_new(Services& services, contracts::Run& run);
inline Status prepare_new(Services&, contracts::Workspace&) { return {}; }
Status save_new(store::WriteTxn& txn, contracts::Run& run, WallTime now);
Status save_new(store::WriteTxn& txn, contracts::Workspace& workspace, WallTime now);

// Whether `next`, a caller's wish, may replace `live`; fills in what follows from the rules of the
// kind. FailedPrecondition (FIELD_IMMUTABLE) with a cause per field.
Status check_update(Services& services, const contracts::Run& live, contracts::Run& next);
Status check_update(Services& services, const contracts::Workspace& live,
                    contracts::Workspace& next);
Status check_update(Services& services, const contracts::Volume& live, contracts::Volume& next);
Status check_update(Services& services, const contracts::Node& live, contracts::Node& next);
// Likewise for a status that an administrator writes.
Status check_status_update(const contracts::Run& live, const contracts::Run& next);
Status check_status_update(const contracts::Workspace& live, const contracts::Workspace& next);
Status check_status_update(const contracts::Volume& live, const contracts::Volume& next);
Status check_status_update(const contracts::Node& live, const contracts::Node& next);

// Stores an object that passed its check, and wakes who must look.
Status save_update(store::WriteTxn& txn, contracts::Run& next, WallTime now);
Status save_update(store::WriteTxn& txn, contracts::Workspace& next, WallTime now);
Status save_update(store::WriteTxn& txn, contracts::Volume& next, WallTime now);
Status save_update(store::WriteTxn& txn, contracts::Node& next, WallTime now);

}  // namespace paddock::api

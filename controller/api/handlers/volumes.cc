#include "controller/api/handlers/volumes.h"

#include "controller/api/handlers/creates.h"

namespace paddock::api {

using contracts::Volume;

namespace {

Status erase_volume(store::WriteTxn& txn, const Call& call, Volume& volume) {
  ASSIGN_OR_RETURN(volume, txn.get<Volume>(call.key()));
  TRY(check_preconditions(call.body, volume.metadata));
  return txn.erase<Volume>(call.key());
}

}  // namespace

Result<Response> delete_volume(Call& call) {
  ASSIGN_OR_RETURN(const bool dry_run, wants_dry_run(call.request, call.body));
  Volume volume;
  TRY(write_or_try(call.services.store, dry_run,
                   [&](store::WriteTxn& txn) { return erase_volume(txn, call, volume); }));
  return json_response(k8s::deleted_status("volumes", volume.metadata));
}

}  // namespace paddock::api

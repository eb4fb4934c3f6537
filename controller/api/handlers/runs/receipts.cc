#include "controller/api/handlers/runs/receipts.h"

#include "common/wire/json.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/objects/objects.h"
#include "controller/api/server/audit.h"
#include "controller/api/server/documents.h"
#include "controller/receipts/statement.h"

namespace paddock::api {

Result<Response> get_receipt(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Run run, read_object<contracts::Run>(call));
  if (!contracts::is_terminal(run.status.phase))
    return Error{Code::kFailedPrecondition, "RUN_NOT_ENDED",
                 cat("run ", run.metadata.name, " is still ", wire::enum_name(run.status.phase),
                     "; a receipt says how a run ended")};
  ASSIGN_OR_RETURN(const contracts::ReceiptEnvelope receipt,
                   call.services.receipt_keys->sign(wire::to_json(receipts::statement(run))));
  return object_response(receipt);
}

Result<Response> list_receipt_keys(Call& call) {
  ASSIGN_OR_RETURN(const contracts::ReceiptKeyList keys, call.services.receipt_keys->list());
  return object_response(keys);
}

Result<Response> rotate_receipt_key(Call& call) {
  TRY(refuse_fields(call.body));
  ASSIGN_OR_RETURN(const contracts::ReceiptKeyList keys, call.services.receipt_keys->rotate());
  contracts::ObjectMeta meta;
  meta.name = keys.items.front().key_id;
  TRY(call.services.store.write([&](store::WriteTxn& txn) {
    return record(txn, call, contracts::audit::kReceiptKeyRotate, "receiptkeys", meta);
  }));
  return object_response(keys);
}

}  // namespace paddock::api

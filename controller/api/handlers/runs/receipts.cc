#include "controller/api/handlers/runs/receipts.h"

#include "common/wire/json.h"
#include "controller/api/handlers/runs/arrays.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/objects/objects.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/receipt_key_book.h"
#include "controller/receipts/receipt_keys.h"
#include "controller/receipts/statement.h"
#include "controller/store/follow.h"

namespace paddock::api {
namespace {

constexpr std::string_view kPlural = "receiptkeys";

receipts::RotationLog rotation_log(store::Store& store) {
  receipts::RotationLog log;
  log.recorded = [&store](const std::string& key_id) -> Result<bool> {
    store::AuditQuery newest;
    newest.type = contracts::audit::kReceiptKeyRotate;
    newest.limit = 1;
    bool found = false;
    TRY(store.read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(const auto events, txn.audit_events(newest));
      found = !events.empty() && events.front().object == cat(kPlural, "/", key_id);
      return {};
    }));
    return found;
  };
  return log;
}

}  // namespace

Result<Response> get_receipt(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Run run, read_object<contracts::Run>(call));
  TRY(refuse_array(run, "receipt"));
  if (!contracts::is_terminal(run.status.phase))
    return Error{Code::kFailedPrecondition, "RUN_NOT_ENDED",
                 cat("run ", run.metadata.name, " is still ", wire::enum_name(run.status.phase),
                     "; a receipt says how a run ended")};
  ASSIGN_OR_RETURN(const contracts::ReceiptEnvelope receipt,
                   call.services.receipt_keys->sign(wire::to_json(receipts::statement(run)),
                                                    receipt_key_book(call.services.store)));
  return object_response(receipt);
}

Result<Response> list_receipt_keys(Call& call) {
  ASSIGN_OR_RETURN(const contracts::ReceiptKeyList keys,
                   call.services.receipt_keys->list(receipt_key_book(call.services.store)));
  return object_response(keys);
}

Result<Response> rotate_receipt_key(Call& call) {
  TRY(refuse_fields(call.body));
  receipts::RotationLog log = rotation_log(call.services.store);
  log.record = [&call](const contracts::ReceiptKeyList& keys) {
    contracts::ObjectMeta meta;
    meta.name = keys.items.front().key_id;
    return call.services.store.write([&](store::WriteTxn& txn) -> Status {
      TRY(put_replaced_keys(txn, keys));
      return record(txn, call, contracts::audit::kReceiptKeyRotate, kPlural, meta);
    });
  };
  TRY(call.services.receipt_keys->rotate(log, call.request.parameter("key").value_or(""),
                                         store::is_followed(call.services.store)));
  return list_receipt_keys(call);
}

Status settle_receipt_keys(Services& services) {
  return services.receipt_keys->settle(rotation_log(services.store));
}

Status publish_receipt_keys(Services& services) {
  return services.receipt_keys->publish(receipt_key_book(services.store));
}

}  // namespace paddock::api

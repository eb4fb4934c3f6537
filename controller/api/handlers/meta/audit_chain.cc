#include "controller/api/handlers/meta/audit_chain.h"

#include "common/audit_chain/checkpoint.h"
#include "common/wire/json.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/receipt_key_book.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/receipts/receipt_keys.h"

namespace paddock::api {
namespace {

constexpr int64_t kRecordsInPage = 1000;
constexpr int64_t kMostInPage = 5000;

}  // namespace

Result<Response> read_audit_chain(Call& call) {
  ASSIGN_OR_RETURN(const auto after, integer_parameter(call.request, "after", 0, INT64_MAX));
  ASSIGN_OR_RETURN(const auto limit, integer_parameter(call.request, "limit", 1, kMostInPage));
  (void)call.services.later->settle(call.services.store);
  contracts::AuditChainPage page;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(page, txn.audit_chain(after, limit.value_or(kRecordsInPage)));
    return {};
  }));
  return object_response(page);
}

Result<Response> make_audit_checkpoint(Call& call) {
  (void)call.services.later->settle(call.services.store);
  audit_chain::Checkpoint checkpoint{{}, call.now()};
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(checkpoint.place, txn.audit_head());
    ASSIGN_OR_RETURN(contracts::AuditChainPage none, txn.audit_chain({}, 0));
    checkpoint.forgotten = std::move(none.anchor);
    return {};
  }));
  ASSIGN_OR_RETURN(
      const contracts::ReceiptEnvelope envelope,
      call.services.receipt_keys->sign(wire::to_json(audit_chain::statement(checkpoint)),
                                       receipt_key_book(call.services.store)));
  return object_response(envelope);
}

}  // namespace paddock::api

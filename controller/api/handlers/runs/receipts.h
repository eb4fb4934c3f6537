// Receipts: what became of a run, signed; and the keys that sign.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> get_receipt(Call& call);  // RUN_NOT_ENDED
Result<Response> list_receipt_keys(Call& call);
// POST /admin/receipt-key/rotate. Audited as `receiptkey.rotate`.
Result<Response> rotate_receipt_key(Call& call);
// Called at the start: settles a rotation of keys during which a controller was killed.
Status settle_receipt_keys(Services& services);
// The store knows the key before the first receipt is asked for. STANDBY_FILES_DIFFER.
Status publish_receipt_keys(Services& services);

}  // namespace paddock::api

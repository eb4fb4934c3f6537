// The book of the keys of receipts as a setting of the store.
#pragma once

#include "controller/receipts/key_book.h"
#include "controller/store/store.h"

namespace paddock::api {

receipts::KeyBook receipt_key_book(store::Store& store);
// With the change that records a rotation.
Status put_replaced_keys(store::WriteTxn& txn, const contracts::ReceiptKeyList& own);

}  // namespace paddock::api

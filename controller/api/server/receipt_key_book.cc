#include "controller/api/server/receipt_key_book.h"

#include "common/wire/describe.h"
#include "common/wire/json.h"

namespace paddock::api {
namespace {

constexpr const char* kSetting = "receipt-keys";

Result<contracts::ReceiptKeyList> book_in(store::ReadTxn& txn) {
  ASSIGN_OR_RETURN(const auto text, txn.setting(kSetting));
  if (!text) return contracts::ReceiptKeyList();
  ASSIGN_OR_RETURN(const wire::Value document, wire::parse_json(*text));
  return wire::decode<contracts::ReceiptKeyList>(document);
}

Status put_book(store::WriteTxn& txn, const contracts::ReceiptKeyList& book) {
  return txn.put_setting(kSetting, wire::to_json(wire::encode(book)));
}

}  // namespace

receipts::KeyBook receipt_key_book(store::Store& store) {
  receipts::KeyBook book;
  book.known = [&store]() -> Result<contracts::ReceiptKeyList> {
    contracts::ReceiptKeyList known;
    TRY(store.read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(known, book_in(txn));
      return {};
    }));
    return known;
  };
  book.add = [&store](const contracts::ReceiptKeyList& own) {
    return store.write([&](store::WriteTxn& txn) -> Status {
      ASSIGN_OR_RETURN(contracts::ReceiptKeyList known, book_in(txn));
      return receipts::add_keys(known, own) ? put_book(txn, known) : Status();
    });
  };
  return book;
}

Status put_replaced_keys(store::WriteTxn& txn, const contracts::ReceiptKeyList& own) {
  ASSIGN_OR_RETURN(contracts::ReceiptKeyList known, book_in(txn));
  receipts::replace_keys(known, own);
  return put_book(txn, known);
}

}  // namespace paddock::api

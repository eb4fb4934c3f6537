// The public keys that the store has of everything that signed receipts for it: what was signed by
// one controller of a database is verified by what another one publishes, and a key that was
// replaced signs nowhere any more. Pure.
#pragma once

#include <functional>
#include <string_view>

#include "common/base/result.h"
#include "common/contracts/receipt.h"

namespace paddock::receipts {

// In a book `current` says of a key that it may sign. Several may, where controllers have keys of
// their own; after a rotation the new one alone may.

// Adds what the book lacks of the keys of a file, of which the first one signs. Whether it did.
bool add_keys(contracts::ReceiptKeyList& book, const contracts::ReceiptKeyList& own);
// The first one of `own` is new, and signs in place of all others.
void replace_keys(contracts::ReceiptKeyList& book, const contracts::ReceiptKeyList& own);
bool was_replaced(const contracts::ReceiptKeyList& book, std::string_view key_id);
// The keys as they are shown to clients: one key signs and stands first, `key_id` unless that was
// replaced.
contracts::ReceiptKeyList shown_keys(const contracts::ReceiptKeyList& book,
                                     std::string_view key_id);

// Where the book of keys is kept. Called while the keys are locked. Both are empty where there is
// no store.
struct KeyBook {
  std::function<Result<contracts::ReceiptKeyList>()> known;
  std::function<Status(const contracts::ReceiptKeyList& own)> add;  // committed, or an error
};

}  // namespace paddock::receipts

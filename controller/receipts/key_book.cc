#include "controller/receipts/key_book.h"

#include <algorithm>

namespace paddock::receipts {
namespace {

using contracts::ReceiptKey;
using contracts::ReceiptKeyList;

const ReceiptKey* find(const ReceiptKeyList& book, std::string_view key_id) {
  const auto found = std::ranges::find(book.items, key_id, &ReceiptKey::key_id);
  return found == book.items.end() ? nullptr : &*found;
}

}  // namespace

bool add_keys(ReceiptKeyList& book, const ReceiptKeyList& own) {
  bool added = false;
  for (const ReceiptKey& key : own.items) {
    if (find(book, key.key_id) != nullptr) continue;
    book.items.push_back(key);
    added = true;
  }
  return added;
}

void replace_keys(ReceiptKeyList& book, const ReceiptKeyList& own) {
  add_keys(book, own);
  for (ReceiptKey& key : book.items) key.current = key.key_id == own.items.front().key_id;
}

bool was_replaced(const ReceiptKeyList& book, std::string_view key_id) {
  const ReceiptKey* const key = find(book, key_id);
  return key != nullptr && !key->current;
}

ReceiptKeyList shown_keys(const ReceiptKeyList& book, std::string_view key_id) {
  ReceiptKeyList out = book;
  auto first = std::ranges::find(out.items, key_id, &ReceiptKey::key_id);
  if (first == out.items.end() || !first->current)
    first = std::ranges::find(out.items, true, &ReceiptKey::current);
  if (first == out.items.end()) return out;
  std::rotate(out.items.begin(), first, first + 1);
  for (ReceiptKey& key : out.items) key.current = &key == out.items.data();
  return out;
}

}  // namespace paddock::receipts

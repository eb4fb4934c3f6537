#include "controller/receipts/receipt_keys.h"

#include <utility>

#include "common/base/text.h"
#include "common/crypto/sealed.h"
#include "common/crypto/signing.h"
#include "common/os/file.h"
#include "common/receipts/envelope.h"

namespace paddock::receipts {
namespace {

constexpr size_t kMostKeysBytes = 1 << 20;

Error damaged() {
  return {Code::kInternal, "RECEIPT_KEY_DAMAGED",
          "the file of the keys of receipts cannot be read; put it back from a backup, or move it "
          "away: then a new key is made"};
}

Error replaced() {
  const std::string words =
      "the key of receipts in this controller's data folder was replaced by a rotation at another "
      "controller of this database: copy receipt-keys.pem from that one's data folder, or make a "
      "new key here (paddock receipt-keys --rotate)";
  return {Code::kFailedPrecondition,
          "STANDBY_FILES_DIFFER",
          words,
          {{"receipt-keys.pem", "is older than the last rotation"}}};
}

// The private key's block stands first, the former public ones behind it.
Result<contracts::ReceiptKeyList> keys_in(std::string_view text) {
  const Result<std::string> now = crypto::public_key_of(text);
  if (!now.ok()) return damaged();
  ASSIGN_OR_RETURN(std::string id, crypto::signing_key_id(*now));
  contracts::ReceiptKeyList out{{{std::move(id), *now, true}}};
  const Result<std::vector<std::string>> former = public_keys_in(text);
  if (!former.ok()) return out;
  for (const std::string& key : *former) {
    ASSIGN_OR_RETURN(std::string former_id, crypto::signing_key_id(key));
    out.items.push_back({std::move(former_id), key, false});
  }
  return out;
}

}  // namespace

// Named so that no project takes it along (common/cas/ignore.cc).
std::string ReceiptKeys::next_path() const {
  return os::join_path(os::folder_of(path_), cat("next-", os::base_name(path_)));
}

Result<std::string> ReceiptKeys::text() {
  if (recorded_) TRY(put_in_place());
  if (path_.empty() && in_memory_.empty()) in_memory_ = crypto::make_signing_key();
  if (path_.empty()) return in_memory_;
  if (!os::exists(path_)) TRY(keep(crypto::make_signing_key()));
  return os::read_file(path_, kMostKeysBytes);
}

Status ReceiptKeys::keep(const std::string& text) {
  if (!path_.empty()) return os::write_file_atomic(path_, text, 0600);
  in_memory_ = text;
  return {};
}

Status ReceiptKeys::keep_aside(const std::string& text) {
  if (!path_.empty()) return os::write_file_atomic(next_path(), text, 0600);
  next_in_memory_ = text;
  return {};
}

Status ReceiptKeys::put_in_place() {
  if (path_.empty()) in_memory_ = std::exchange(next_in_memory_, {});
  if (!path_.empty() && os::exists(next_path())) TRY(os::rename_durably(next_path(), path_));
  recorded_ = false;
  return {};
}

Status ReceiptKeys::settle_locked(const RotationLog& log) {
  if (recorded_) return put_in_place();
  if (path_.empty() || !os::exists(next_path())) return {};
  ASSIGN_OR_RETURN(std::string keys, os::read_file(next_path(), kMostKeysBytes));
  const auto next = keys_in(keys);
  crypto::wipe(keys);
  if (next.ok()) {
    ASSIGN_OR_RETURN(recorded_, log.recorded(next->items.front().key_id));
  }
  return recorded_ ? put_in_place() : os::remove_tree(next_path());
}

Status ReceiptKeys::settle(const RotationLog& log) {
  const std::lock_guard lock(mutex_);
  return settle_locked(log);
}

Status ReceiptKeys::publish_text(std::string_view text, const KeyBook& book) const {
  if (!book.known) return {};
  ASSIGN_OR_RETURN(const contracts::ReceiptKeyList own, keys_in(text));
  ASSIGN_OR_RETURN(contracts::ReceiptKeyList known, book.known());
  const bool barred = was_replaced(known, own.items.front().key_id);
  if (add_keys(known, own)) TRY(book.add(own));
  return barred ? Status(replaced()) : Status();
}

Status ReceiptKeys::publish(const KeyBook& book) {
  const std::lock_guard lock(mutex_);
  if (path_.empty() ? in_memory_.empty() : !os::exists(path_)) return {};
  ASSIGN_OR_RETURN(std::string keys, text());
  const Status published = publish_text(keys, book);
  crypto::wipe(keys);
  return published;
}

Result<contracts::ReceiptEnvelope> ReceiptKeys::sign(std::string_view statement,
                                                     const KeyBook& book) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(std::string keys, text());
  const Status published = publish_text(keys, book);
  auto signed_one = published.ok() ? sign_statement(statement, keys)
                                   : Result<contracts::ReceiptEnvelope>(published.error());
  crypto::wipe(keys);
  TRY(published);
  if (!signed_one.ok()) return damaged();
  return signed_one;
}

Result<contracts::ReceiptKeyList> ReceiptKeys::list(const KeyBook& book) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(std::string keys, text());
  auto own = keys_in(keys);
  crypto::wipe(keys);
  if (!own.ok() || !book.known) return own;
  ASSIGN_OR_RETURN(contracts::ReceiptKeyList known, book.known());
  // A store that takes nothing now still says what it knows.
  if (add_keys(known, *own)) (void)book.add(*own);
  return shown_keys(known, own->items.front().key_id);
}

// The new keys are on the disk before the record says that they sign.
Result<contracts::ReceiptKeyList> ReceiptKeys::rotate(const RotationLog& log) {
  const std::lock_guard lock(mutex_);
  TRY(settle_locked(log));
  ASSIGN_OR_RETURN(std::string before, text());
  const auto former = keys_in(before);
  crypto::wipe(before);
  if (!former.ok()) return former.error();
  std::string keys = crypto::make_signing_key();
  for (const contracts::ReceiptKey& key : former->items) keys += key.public_key;
  const auto now = keys_in(keys);
  const Status kept = now.ok() ? keep_aside(keys) : Status(now.error());
  crypto::wipe(keys);
  TRY(kept);
  const Status recorded = log.record(*now);
  recorded_ = recorded.ok();
  if (!recorded.ok()) {
    (void)settle_locked(log);  // a store that fails late may have committed
    return recorded.error();
  }
  TRY(put_in_place());
  return now;
}

}  // namespace paddock::receipts

#include "controller/receipts/receipt_keys.h"

#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/crypto/sealed.h"
#include "common/crypto/signing.h"
#include "common/os/file.h"
#include "common/receipts/envelope.h"

namespace paddock::receipts {
namespace {

constexpr size_t kMostKeysBytes = 1 << 20;

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

Error others_first(const std::string& id) {
  return {Code::kFailedPrecondition, "STANDBY_FILES_DIFFER",
          cat("other controllers follow this one, and none of them could sign receipts with a key "
              "that it lacks. receipt-keys.pem in the data folder has the key ",
              id,
              " now, which signs nothing yet: copy that file to each of the others, then `paddock "
              "receipt-keys --rotate --to ",
              id, "`")};
}

// The private key with this id that waits in the file; empty: there is none.
Result<std::string> waiting_key(const KeyFile& file, std::string_view id) {
  for (const std::string& key : file.waiting) {
    ASSIGN_OR_RETURN(const std::string each, private_key_id(key));
    if (each == id) return key;
  }
  return std::string();
}

// The file that the key of the book's last rotation leads, if this one has it.
Result<std::optional<KeyFile>> as_the_book_says(const KeyFile& file,
                                                const contracts::ReceiptKeyList& book) {
  ASSIGN_OR_RETURN(const std::string own, private_key_id(file.current));
  for (const contracts::ReceiptKey& key : book.items) {
    if (!key.current) continue;
    if (key.key_id == own) return std::optional<KeyFile>(file);
    ASSIGN_OR_RETURN(const std::string waiting, waiting_key(file, key.key_id));
    if (waiting.empty()) continue;
    ASSIGN_OR_RETURN(KeyFile led, led_by(file, waiting));
    return std::optional<KeyFile>(std::move(led));
  }
  return std::optional<KeyFile>();
}

}  // namespace

// Named so that no project takes it along (common/cas/ignore.cc).
std::string ReceiptKeys::next_path() const {
  return os::join_path(os::folder_of(path_), cat("next-", os::base_name(path_)));
}

Result<KeyFile> ReceiptKeys::own_file() {
  if (recorded_) TRY(put_in_place());
  if (path_.empty() && in_memory_.empty()) in_memory_ = crypto::make_signing_key();
  if (path_.empty()) return parse_key_file(in_memory_);
  ASSIGN_OR_RETURN(const bool made, os::is_there(path_));
  if (!made) TRY(os::write_file_atomic(path_, crypto::make_signing_key(), 0600));
  return read_file(path_);
}

Result<KeyFile> ReceiptKeys::read_file(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, os::read_file(path, kMostKeysBytes));
  Result<KeyFile> out = parse_key_file(text);
  crypto::wipe(text);
  return out;
}

Status ReceiptKeys::keep(const KeyFile& file, const std::string& path, std::string& in_memory) {
  std::string text = key_file_text(file);
  if (path.empty()) in_memory = text;
  const Status kept = path.empty() ? Status() : os::write_file_atomic(path, text, 0600);
  crypto::wipe(text);
  return kept;
}

Status ReceiptKeys::put_in_place() {
  if (path_.empty()) {
    in_memory_ = std::exchange(next_in_memory_, {});
  } else {
    ASSIGN_OR_RETURN(const bool made, os::is_there(next_path()));
    if (made) TRY(os::rename_durably(next_path(), path_));
  }
  recorded_ = false;
  return {};
}

Status ReceiptKeys::settle_locked(const RotationLog& log) {
  if (recorded_) return put_in_place();
  if (path_.empty()) return {};
  ASSIGN_OR_RETURN(const bool made, os::is_there(next_path()));
  if (!made) return {};
  const Result<KeyFile> next = read_file(next_path());
  if (!next.ok() && next.error().reason != "RECEIPT_KEY_DAMAGED") return next.error();
  if (next.ok()) {
    ASSIGN_OR_RETURN(const std::string id, private_key_id(next->current));
    ASSIGN_OR_RETURN(recorded_, log.recorded(id));
  }
  return recorded_ ? put_in_place() : os::remove_tree(next_path());
}

Status ReceiptKeys::settle(const RotationLog& log) {
  const std::lock_guard lock(mutex_);
  return settle_locked(log);
}

// A key that waited here, or lies in the folder that controllers share, signs once the book has it.
Result<std::optional<KeyFile>> ReceiptKeys::newer(const KeyFile& own,
                                                  const contracts::ReceiptKeyList& book) const {
  ASSIGN_OR_RETURN(auto mine, as_the_book_says(own, book));
  if (mine || shared_.empty()) return mine;
  const Result<KeyFile> theirs = read_file(shared_);
  if (!theirs.ok()) return std::optional<KeyFile>();  // the same as none there
  return as_the_book_says(*theirs, book);
}

Status ReceiptKeys::publish_keys(KeyFile& file, const KeyBook& book) {
  if (!book.known) return {};
  ASSIGN_OR_RETURN(contracts::ReceiptKeyList own, public_keys_of(file));
  ASSIGN_OR_RETURN(contracts::ReceiptKeyList known, book.known());
  bool barred = was_replaced(known, own.items.front().key_id);
  if (barred) {
    ASSIGN_OR_RETURN(std::optional<KeyFile> next, newer(file, known));
    if (next) {
      TRY(keep(*next, path_, in_memory_));
      file = std::move(*next);
      ASSIGN_OR_RETURN(own, public_keys_of(file));
      barred = false;
    }
  }
  if (add_keys(known, own)) TRY(book.add(own));
  return barred ? Status(replaced()) : Status();
}

Status ReceiptKeys::publish(const KeyBook& book) {
  const std::lock_guard lock(mutex_);
  if (path_.empty() && in_memory_.empty()) return {};
  if (!path_.empty()) {
    ASSIGN_OR_RETURN(const bool made, os::is_there(path_));
    if (!made) return {};
  }
  ASSIGN_OR_RETURN(KeyFile keys, own_file());
  return publish_keys(keys, book);
}

Result<contracts::ReceiptEnvelope> ReceiptKeys::sign(std::string_view statement,
                                                     const KeyBook& book) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(KeyFile keys, own_file());
  TRY(publish_keys(keys, book));
  return sign_statement(statement, keys.current);
}

Result<contracts::ReceiptKeyList> ReceiptKeys::list(const KeyBook& book) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(const KeyFile keys, own_file());
  ASSIGN_OR_RETURN(contracts::ReceiptKeyList own, public_keys_of(keys));
  if (!book.known) return own;
  ASSIGN_OR_RETURN(contracts::ReceiptKeyList known, book.known());
  // A store that takes nothing now still says what it knows.
  if (add_keys(known, own)) (void)book.add(own);
  return shown_keys(known, own.items.front().key_id);
}

// A key that was made so before, and not used, goes: it may have leaked since.
Error ReceiptKeys::make_next(KeyFile before) {
  before.waiting = {crypto::make_signing_key()};
  const Result<std::string> id = private_key_id(before.waiting.front());
  if (!id.ok()) return id.error();
  const Status kept = keep(before, path_, in_memory_);
  return kept.ok() ? others_first(*id) : kept.error();
}

// The new keys are on the disk before the record says that they sign.
Result<contracts::ReceiptKeyList> ReceiptKeys::rotate(const RotationLog& log, const std::string& to,
                                                      bool followed) {
  const std::lock_guard lock(mutex_);
  TRY(settle_locked(log));
  ASSIGN_OR_RETURN(KeyFile before, own_file());
  if (to.empty() && followed) return make_next(std::move(before));
  ASSIGN_OR_RETURN(std::string key, waiting_key(before, to));
  if (!to.empty() && key.empty())
    return invalid_argument("PARAMETER_INVALID",
                            "names no key of receipt-keys.pem that waits to sign", "key");
  if (key.empty()) key = crypto::make_signing_key();
  const Result<KeyFile> led = led_by(before, key);
  crypto::wipe(key);
  if (!led.ok()) return led.error();
  ASSIGN_OR_RETURN(contracts::ReceiptKeyList now, public_keys_of(*led));
  TRY(keep(*led, path_.empty() ? "" : next_path(), next_in_memory_));
  const Status recorded = log.record(now);
  recorded_ = recorded.ok();
  if (!recorded.ok()) {
    (void)settle_locked(log);  // a store that fails late may have committed
    return recorded.error();
  }
  TRY(put_in_place());
  return now;
}

}  // namespace paddock::receipts

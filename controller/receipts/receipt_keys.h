// The keys that receipts are signed with: one file beside the store, of mode 0600, made when the
// first receipt is asked for. The private key signs; of former ones only the public part is kept.
// It is read each time, so that a file that was put back counts at once. Any thread.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/contracts/receipt.h"
#include "controller/receipts/key_book.h"
#include "controller/receipts/key_file.h"

namespace paddock::receipts {

// The record of a rotation decides: a new key signs if and only if it is in the audit log, whatever
// ends between the two. Both may be asked while the keys are locked.
struct RotationLog {
  // Committed, or an error. The first one of `keys` is the new one.
  std::function<Status(const contracts::ReceiptKeyList& keys)> record;
  std::function<Result<bool>(const std::string& key_id)> recorded;  // as the newest of all
};

class ReceiptKeys {
 public:
  // An empty path: in memory alone, for a store that is. `shared`: the file in the folder that the
  // controllers of a database share, if they do.
  explicit ReceiptKeys(std::string path = {}, std::string shared = {})
      : path_(std::move(path)), shared_(std::move(shared)) {}

  // The key is in the book before anything is signed with it. RECEIPT_KEY_DAMAGED: the file holds
  // no key; STANDBY_FILES_DIFFER: by the book it was replaced; with a failing disk or store, its
  // error.
  Result<contracts::ReceiptEnvelope> sign(std::string_view statement, const KeyBook& book = {});
  // The keys of the file, which is made if there is none, and those of the book.
  Result<contracts::ReceiptKeyList> list(const KeyBook& book = {});
  // Puts the keys of the file, if there is one, into the book. As sign().
  Status publish(const KeyBook& book);
  // A new key signs from now on; what was signed before is verified by the old one's public part.
  // `to`: the id of a key that waits in the file. Without it, where other controllers follow:
  // STANDBY_FILES_DIFFER, which names such a key, so that the others have it first.
  Result<contracts::ReceiptKeyList> rotate(const RotationLog& log, const std::string& to = {},
                                           bool followed = false);
  // Completes a rotation that a crash interrupted: finishes it if it is recorded in the audit log,
  // else undoes it. Call it at the start, before anything is signed.
  Status settle(const RotationLog& log);

 private:
  std::string next_path() const;
  Result<KeyFile> own_file();  // which is made if there is none
  static Result<KeyFile> read_file(const std::string& path);
  static Status keep(const KeyFile& file, const std::string& path, std::string& in_memory);
  Status put_in_place();
  Status settle_locked(const RotationLog& log);
  Result<std::optional<KeyFile>> newer(const KeyFile& own,
                                       const contracts::ReceiptKeyList& book) const;
  Status publish_keys(KeyFile& file, const KeyBook& book);
  Error make_next(KeyFile before);

  const std::string path_;
  const std::string shared_;
  std::mutex mutex_;  // guards what follows, and both files
  std::string in_memory_;
  std::string next_in_memory_;
  bool recorded_ = false;  // what is aside is to sign, as soon as the disk takes it
};

}  // namespace paddock::receipts

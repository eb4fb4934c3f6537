// The keys that receipts are signed with: one file beside the store, of mode 0600, made when the
// first receipt is asked for. The private key signs; of former ones only the public part is kept.
// It is read each time, so that a file that was put back counts at once. Any thread.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/contracts/receipt.h"

namespace paddock::receipts {

class ReceiptKeys {
 public:
  // An empty path: in memory alone, for a store that is.
  explicit ReceiptKeys(std::string path = {}) : path_(std::move(path)) {}

  // RECEIPT_KEY_DAMAGED: the file holds no key; with a failing disk, its error.
  Result<contracts::ReceiptEnvelope> sign(std::string_view statement);
  Result<contracts::ReceiptKeyList> list();
  // A new key signs from now on; what was signed before is verified by the old one's public part.
  Result<contracts::ReceiptKeyList> rotate();

 private:
  Result<std::string> text();  // of the file, which is made if there is none
  Status keep(const std::string& text);

  const std::string path_;
  std::mutex mutex_;
  std::string in_memory_;  // guarded by mutex_
};

}  // namespace paddock::receipts

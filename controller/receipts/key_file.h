// The file of the keys of receipts, as text: the private key that signs stands first, then the
// public parts of former ones, then private keys that wait: they sign nothing until a rotation
// names one, so that all controllers of a database can have it before. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/contracts/receipt.h"

namespace paddock::receipts {

struct KeyFile {
  KeyFile() = default;
  KeyFile(const KeyFile&) = default;
  KeyFile(KeyFile&&) noexcept = default;
  KeyFile& operator=(const KeyFile&) = default;
  KeyFile& operator=(KeyFile&&) noexcept = default;
  ~KeyFile();  // wipes the private ones

  std::string current;               // private
  std::vector<std::string> former;   // public
  std::vector<std::string> waiting;  // private
};

// RECEIPT_KEY_DAMAGED. What follows a key that signs and is no key is left out.
Result<KeyFile> parse_key_file(std::string_view text);
std::string key_file_text(const KeyFile& file);

// The key that signs, as current, and the former ones. RECEIPT_KEY_DAMAGED.
Result<contracts::ReceiptKeyList> public_keys_of(const KeyFile& file);
// The id by which people and programs know a private key. RECEIPT_KEY_DAMAGED.
Result<std::string> private_key_id(std::string_view private_pem);
// The file once `key`, a private one, signs: the one before is a former one, and none waits.
Result<KeyFile> led_by(const KeyFile& file, const std::string& key);

}  // namespace paddock::receipts

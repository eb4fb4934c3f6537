#include "controller/receipts/key_file.h"

#include "common/base/text.h"
#include "common/crypto/pem.h"
#include "common/crypto/sealed.h"
#include "common/crypto/signing.h"
#include "common/receipts/envelope.h"

namespace paddock::receipts {
namespace {

Error damaged() {
  return {Code::kInternal, "RECEIPT_KEY_DAMAGED",
          "the file of the keys of receipts cannot be read; put it back from a backup, or move it "
          "away: then a new key is made"};
}

}  // namespace

KeyFile::~KeyFile() {
  crypto::wipe(current);
  for (std::string& key : waiting) crypto::wipe(key);
}

Result<KeyFile> parse_key_file(std::string_view text) {
  std::vector<std::string> keys = crypto::pem_blocks(text, "PRIVATE KEY");
  if (keys.empty() || !crypto::public_key_of(keys.front()).ok()) return damaged();
  KeyFile out;
  out.current = std::move(keys.front());
  for (size_t i = 1; i < keys.size(); ++i)
    if (crypto::public_key_of(keys[i]).ok()) out.waiting.push_back(std::move(keys[i]));
  const Result<std::vector<std::string>> former = public_keys_in(text);
  if (former.ok()) out.former = *former;
  return out;
}

std::string key_file_text(const KeyFile& file) {
  std::string out = file.current;
  for (const std::string& key : file.former) out += key;
  for (const std::string& key : file.waiting) out += key;
  return out;
}

Result<std::string> private_key_id(std::string_view private_pem) {
  const Result<std::string> key = crypto::public_key_of(private_pem);
  if (!key.ok()) return damaged();
  return crypto::signing_key_id(*key);
}

Result<contracts::ReceiptKeyList> public_keys_of(const KeyFile& file) {
  const Result<std::string> now = crypto::public_key_of(file.current);
  if (!now.ok()) return damaged();
  ASSIGN_OR_RETURN(std::string id, crypto::signing_key_id(*now));
  contracts::ReceiptKeyList out{{{std::move(id), *now, true}}};
  for (const std::string& key : file.former) {
    ASSIGN_OR_RETURN(std::string former_id, crypto::signing_key_id(key));
    out.items.push_back({std::move(former_id), key, false});
  }
  return out;
}

Result<KeyFile> led_by(const KeyFile& file, const std::string& key) {
  const Result<std::string> before = crypto::public_key_of(file.current);
  if (!before.ok()) return damaged();
  KeyFile out;
  out.current = key;
  out.former.push_back(*before);
  for (const std::string& each : file.former) out.former.push_back(each);
  return out;
}

}  // namespace paddock::receipts

// The keys that values of Secrets are sealed with: the first one seals, all of them open. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.h"
#include "common/base/result.h"
#include "controller/store/store.h"

namespace paddock::secrets {

struct SealKey {
  std::string id;     // tells nothing of the key
  std::string bytes;  // 32
};

struct KeyRing {
  std::vector<SealKey> keys;
  bool empty() const { return keys.empty(); }
  const SealKey* find(std::string_view id) const;
};

SealKey make_key(Random& random);

// One line each, behind a first one that says what this is.
std::string ring_text(const KeyRing& ring);
// SECRET_KEY_DAMAGED.
Result<KeyRing> parse_ring(std::string_view text);

// What a value belongs to. Bound to it, a row that somebody moves to another Secret, or to another
// name, does not open.
struct Place {
  store::Key secret;
  std::string secret_uid;
};

store::SealedValue seal(const KeyRing& ring, const Place& place, const std::string& name,
                        std::string_view plain, Random& random);
// SECRET_KEY_MISSING, SECRET_UNREADABLE.
Result<std::string> open(const KeyRing& ring, const Place& place, const store::SealedValue& value);

// No key is there, and values are sealed with one: what to do.
Error key_missing();

}  // namespace paddock::secrets

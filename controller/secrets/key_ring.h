// The keys that values of Secrets are sealed with: the one that the store knows seals, all of them
// open. Pure.
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
// Several files, one behind the other, are one with the keys of all. SECRET_KEY_DAMAGED.
Result<KeyRing> parse_ring(std::string_view text);

// What a value belongs to. Bound to it, a row that somebody moves to another Secret, or to another
// name, does not open.
struct Place {
  store::Key secret;
  std::string secret_uid;
};

store::SealedValue seal(const SealKey& key, const Place& place, const std::string& name,
                        std::string_view plain, Random& random);
// SECRET_KEY_MISSING, SECRET_UNREADABLE.
Result<std::string> open(const KeyRing& ring, const Place& place, const store::SealedValue& value);

// What the store has of the keys.
struct KnownKeys {
  std::vector<std::string> in_use;  // the ids of those that values are sealed with
  std::string mark;                 // of the key that sealed last; empty: none has
};

// The store keeps this setting. It says which key a ring must have, and nothing about its bytes.
inline constexpr const char* kMarkSetting = "secrets/key";
std::string mark_of(const SealKey& key);

// The key that seals. One that cannot open all that is sealed already must not: a copy of the
// right file, put in its place, would lose what it sealed. SECRET_KEY_MISSING.
Result<SealKey> key_to_seal_with(const KeyRing& ring, const KnownKeys& known);

// Keys that values are sealed with are not in the ring: which ones, and a way out that loses none.
Error key_missing(const KeyRing& ring, const std::vector<std::string>& ids);

}  // namespace paddock::secrets

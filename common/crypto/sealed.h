// Sealing: AES-256-GCM. The holder of the key reads what was sealed, and notices if a bit of it, or
// of what it was sealed for, is another one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/random.h"

namespace paddock::crypto {

inline constexpr size_t kSealKeyBytes = 32;

// `bound`: what it belongs to, not kept in it: only who names the same opens it. A key must not
// seal more than 2^32 times (NIST SP 800-38D: the nonces are random).
std::string seal(std::string_view key, std::string_view bound, std::string_view plain,
                 Random& random);
// Opens what was sealed; nothing if it was not sealed by this key, or not for this purpose.
std::optional<std::string> open_sealed(std::string_view key, std::string_view bound,
                                       std::string_view sealed);
// Overwrites what is secret before its memory is given back.
void wipe(std::string& secret);

}  // namespace paddock::crypto

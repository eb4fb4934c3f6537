// Whether a file is a private key, by how it begins: under whatever name it lies in a project.
// Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace paddock::cas {

inline constexpr int64_t kMostKeyBytes = 1 << 20;          // a larger file is no key
inline constexpr size_t kKeyBeginning = size_t{16} << 10;  // of it is looked at

// `text` is the beginning of a file. A key in PEM (also behind certificates, parameters, comments
// and what `openssl` prints before it), of OpenSSH, PuTTY, PGP or age, or of a service account in
// JSON. Source code that has a key in it is none.
bool begins_with_private_key(std::string_view text);

}  // namespace paddock::cas

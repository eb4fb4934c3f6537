#include "common/crypto/sha1.h"

#include <array>

#include <openssl/evp.h>

#include "common/base/result.h"

namespace paddock::crypto {

std::string sha1(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1)
    panic("SHA-1 is not available");
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace paddock::crypto

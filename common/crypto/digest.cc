#include "common/crypto/digest.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "common/base/freed.h"
#include "common/base/text.h"

namespace paddock::crypto {

// OpenSSL fails here only when it is out of memory or misused: neither is for callers to handle.
struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, Freed<&EVP_MD_CTX_free>> context{EVP_MD_CTX_new()};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (!state_->context || EVP_DigestInit_ex2(state_->context.get(), algorithm, nullptr) != 1) {
    panic("SHA-256 is not available");
  }
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) {
    panic("SHA-256 failed");
  }
}

std::string Sha256::finish_hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) != 1) {
    panic("SHA-256 failed");
  }
  return hex({reinterpret_cast<const char*>(digest.data()), size});
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish_hex();
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data, bytes.size(),
           digest.data(), &size) == nullptr) {
    panic("HMAC failed");
  }
  return hex({reinterpret_cast<const char*>(digest.data()), size});
}

Result<std::string> sha256_fd(int fd, int64_t most) {
  constexpr int64_t kChunk = 256 << 10;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kChunk);  // most files are small
  Sha256 hash;
  while (true) {
    const ssize_t got = ::read(fd, buffer.get(), static_cast<size_t>(std::min(kChunk, most)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading", errno);
    if (got == 0) return hash.finish_hex();
    hash.update({buffer.get(), static_cast<size_t>(got)});
    most -= got;
  }
}

bool equal_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string make_token(Random& random, std::string_view prefix) {
  std::array<uint8_t, 32> secret;
  random.fill(secret);
  std::string text = base64({reinterpret_cast<const char*>(secret.data()), secret.size()});
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  OPENSSL_cleanse(secret.data(), secret.size());
  return cat(prefix, "_", text);
}

}  // namespace paddock::crypto

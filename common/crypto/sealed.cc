#include "common/crypto/sealed.h"

#include <algorithm>
#include <array>
#include <memory>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "common/base/freed.h"
#include "common/base/result.h"

namespace paddock::crypto {
namespace {

constexpr size_t kNonceBytes = 12;
constexpr size_t kTagBytes = 16;

using Context = std::unique_ptr<EVP_CIPHER_CTX, Freed<&EVP_CIPHER_CTX_free>>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

// OpenSSL fails here only when it is out of memory or misused.
void must(int done) {
  if (done != 1) panic("AES-256-GCM failed");
}

}  // namespace

// The nonce, the text, the tag.
std::string seal(std::string_view key, std::string_view bound, std::string_view plain,
                 Random& random) {
  if (key.size() != kSealKeyBytes) panic("a key to seal with has 32 bytes");
  std::array<uint8_t, kNonceBytes> nonce;
  random.fill(nonce);
  std::string out(kNonceBytes + plain.size() + kTagBytes, '\0');
  std::copy(nonce.begin(), nonce.end(), out.begin());
  const Context context(EVP_CIPHER_CTX_new());
  if (!context) panic("out of memory");
  int length = 0;
  must(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), nonce.data()));
  must(EVP_EncryptUpdate(context.get(), nullptr, &length, bytes_of(bound),
                         static_cast<int>(bound.size())));
  must(EVP_EncryptUpdate(context.get(), bytes_of(out) + kNonceBytes, &length, bytes_of(plain),
                         static_cast<int>(plain.size())));
  must(EVP_EncryptFinal_ex(context.get(), bytes_of(out) + kNonceBytes + plain.size(), &length));
  must(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes,
                           bytes_of(out) + kNonceBytes + plain.size()));
  return out;
}

std::optional<std::string> open_sealed(std::string_view key, std::string_view bound,
                                       std::string_view sealed) {
  if (key.size() != kSealKeyBytes || sealed.size() < kNonceBytes + kTagBytes) return std::nullopt;
  const std::string_view text = sealed.substr(kNonceBytes, sealed.size() - kNonceBytes - kTagBytes);
  std::string tag(sealed.substr(kNonceBytes + text.size()));
  std::string out(text.size(), '\0');
  const Context context(EVP_CIPHER_CTX_new());
  if (!context) panic("out of memory");
  int length = 0;
  must(EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key),
                          bytes_of(sealed)));
  must(EVP_DecryptUpdate(context.get(), nullptr, &length, bytes_of(bound),
                         static_cast<int>(bound.size())));
  must(EVP_DecryptUpdate(context.get(), bytes_of(out), &length, bytes_of(text),
                         static_cast<int>(text.size())));
  must(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, bytes_of(tag)));
  if (EVP_DecryptFinal_ex(context.get(), bytes_of(out) + text.size(), &length) == 1) return out;
  wipe(out);
  return std::nullopt;
}

void wipe(std::string& secret) {
  OPENSSL_cleanse(secret.data(), secret.size());
  secret.clear();
}

}  // namespace paddock::crypto

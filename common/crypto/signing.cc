#include "common/crypto/signing.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/crypto/pem_io.h"

namespace paddock::crypto {
namespace {

constexpr size_t kSignatureBytes = 64;

using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<&EVP_MD_CTX_free>>;

Error bad_signing_key(std::string_view what) {
  return invalid_argument("SIGNING_KEY_INVALID",
                          cat("the text is not a PEM ", what, " of Ed25519"));
}

// OpenSSL fails here only when it is out of memory or misused.
void must_sign(bool done) {
  if (!done) panic("Ed25519 failed");
}

bool is_ed25519(const Key& key) {
  return key != nullptr && EVP_PKEY_get_id(key.get()) == EVP_PKEY_ED25519;
}

// Both of OpenSSL's readers of PEM are functions of this type.
using ReadPem = EVP_PKEY*(BIO*, EVP_PKEY**, pem_password_cb*, void*);

Result<Key> read_pem(std::string_view pem, ReadPem* read, std::string_view what) {
  const Bio bio = memory_of(pem);
  Key key(bio == nullptr ? nullptr : read(bio.get(), nullptr, no_pass_phrase, nullptr));
  if (!is_ed25519(key)) return bad_signing_key(what);
  return key;
}

Result<Key> read_private(std::string_view pem) {
  return read_pem(pem, PEM_read_bio_PrivateKey, "private key");
}

Result<Key> read_public(std::string_view pem) {
  return read_pem(pem, PEM_read_bio_PUBKEY, "public key");
}

const unsigned char* octets(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string make_signing_key() {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  const Bio bio(BIO_new(BIO_s_secmem()));
  must_sign(key != nullptr && bio != nullptr &&
            PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) ==
                1);
  return text_of(bio.get());
}

Result<std::string> public_key_of(std::string_view private_pem) {
  ASSIGN_OR_RETURN(const Key key, read_private(private_pem));
  const Bio bio(BIO_new(BIO_s_mem()));
  must_sign(bio != nullptr && PEM_write_bio_PUBKEY(bio.get(), key.get()) == 1);
  return text_of(bio.get());
}

Result<std::string> signing_key_id(std::string_view public_pem) {
  ASSIGN_OR_RETURN(const Key key, read_public(public_pem));
  const Bio bio(BIO_new(BIO_s_mem()));
  must_sign(bio != nullptr && i2d_PUBKEY_bio(bio.get(), key.get()) == 1);
  return sha256_hex(text_of(bio.get()));
}

Result<std::string> sign(std::string_view private_pem, std::string_view message) {
  ASSIGN_OR_RETURN(const Key key, read_private(private_pem));
  const DigestContext context(EVP_MD_CTX_new());
  must_sign(context != nullptr &&
            EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1);
  std::string out(kSignatureBytes, '\0');
  size_t size = out.size();
  must_sign(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                           octets(message), message.size()) == 1);
  return out;
}

Result<bool> is_signed_by(std::string_view public_pem, std::string_view message,
                          std::string_view signature) {
  ASSIGN_OR_RETURN(const Key key, read_public(public_pem));
  const DigestContext context(EVP_MD_CTX_new());
  must_sign(context != nullptr &&
            EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1);
  return EVP_DigestVerify(context.get(), octets(signature), signature.size(), octets(message),
                          message.size()) == 1;
}

}  // namespace paddock::crypto

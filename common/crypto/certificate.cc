#include "common/crypto/certificate.h"

#include <arpa/inet.h>

#include <array>
#include <ctime>
#include <memory>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "common/base/freed.h"
#include "common/base/text.h"
#include "common/crypto/pem_io.h"

namespace paddock::crypto {
namespace {

using Number = std::unique_ptr<BIGNUM, Freed<&BN_free>>;
using Certificate = std::unique_ptr<X509, Freed<&X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<&X509_EXTENSION_free>>;

constexpr int64_t kDaySeconds = int64_t{24} * 60 * 60;
constexpr int64_t kCaDays = 3652;
constexpr int64_t kServerDays = 825;
constexpr int64_t kClockSkewSeconds =
    60;  // valid a minute earlier, for hosts whose clock is behind
constexpr int kSerialBits = 127;
constexpr size_t kMaxNames = 100;
constexpr size_t kMaxNameBytes = 253;

Error failed(std::string_view doing) {
  return {Code::kInternal, "CERTIFICATE_FAILED", cat(doing, " failed")};
}

Error bad_certificate() {
  return invalid_argument("CERTIFICATE_INVALID", "the text is not a PEM certificate");
}

// ---- PEM ----

Result<Certificate> read_certificate(std::string_view pem) {
  const Bio bio = memory_of(pem);
  Certificate certificate(
      bio == nullptr ? nullptr : PEM_read_bio_X509(bio.get(), nullptr, no_pass_phrase, nullptr));
  if (certificate == nullptr) return bad_certificate();
  return certificate;
}

Result<Key> read_key(std::string_view pem) {
  const Bio bio = memory_of(pem);
  Key key(bio == nullptr ? nullptr
                         : PEM_read_bio_PrivateKey(bio.get(), nullptr, no_pass_phrase, nullptr));
  if (key == nullptr)
    return invalid_argument("KEY_INVALID",
                            "the text is not a PEM private key without a pass phrase");
  return key;
}

Result<KeyPair> write_pair(X509* certificate, EVP_PKEY* key) {
  const Bio certificate_bio(BIO_new(BIO_s_mem()));
  const Bio key_bio(BIO_new(BIO_s_secmem()));
  if (certificate_bio == nullptr || key_bio == nullptr ||
      PEM_write_bio_X509(certificate_bio.get(), certificate) != 1 ||
      PEM_write_bio_PrivateKey(key_bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return failed("writing a certificate");
  }
  return KeyPair{text_of(certificate_bio.get()), text_of(key_bio.get())};
}

// ---- parts of a certificate ----

Result<Key> make_key() {
  Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return failed("making a key");
  return key;
}

Status set_serial(X509* certificate) {
  const Number serial(BN_new());
  const bool set = serial != nullptr &&
                   BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
                   BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
  return set ? Status() : Status(failed("making a serial number"));
}

Status set_validity(X509* certificate, WallTime now, int64_t days) {
  const std::time_t start = now.ms / 1000 - kClockSkewSeconds;
  const bool set =
      ASN1_TIME_set(X509_getm_notBefore(certificate), start) != nullptr &&
      ASN1_TIME_set(X509_getm_notAfter(certificate), start + days * kDaySeconds) != nullptr;
  return set ? Status() : Status(failed("setting the validity"));
}

Status set_common_name(X509* certificate, std::string_view name) {
  if (name.empty() || name.size() > 64 || !is_utf8(name)) {
    return invalid_argument("CERTIFICATE_NAME_INVALID", "a common name has 1 to 64 bytes of UTF-8");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(name.data());
  const bool set =
      X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), NID_commonName, MBSTRING_UTF8,
                                 bytes, static_cast<int>(name.size()), -1, 0) == 1;
  return set ? Status() : Status(failed("setting the name"));
}

struct ExtensionText {
  int nid;
  std::string value;
};

Status add_extensions(X509* certificate, X509* issuer,
                      const std::vector<ExtensionText>& extensions) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  for (const ExtensionText& text : extensions) {
    const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, text.nid, text.value.c_str()));
    if (extension == nullptr || X509_add_ext(certificate, extension.get(), -1) != 1)
      return failed("adding an extension");
  }
  return {};
}

// The parts that every certificate has. The issuer's name and the extensions come next, then
// sign().
Result<Certificate> begin(EVP_PKEY* key, std::string_view common_name, WallTime now, int64_t days) {
  Certificate certificate(X509_new());
  if (certificate == nullptr || X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      X509_set_pubkey(certificate.get(), key) != 1) {
    return failed("making a certificate");
  }
  TRY(set_serial(certificate.get()));
  TRY(set_validity(certificate.get(), now, days));
  TRY(set_common_name(certificate.get(), common_name));
  return certificate;
}

Status sign(X509* certificate, X509* issuer, EVP_PKEY* issuer_key) {
  const bool done = X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
                    X509_sign(certificate, issuer_key, EVP_sha256()) > 0;
  return done ? Status() : Status(failed("signing a certificate"));
}

// ---- names ----

bool is_ip_address(const std::string& name) {
  std::array<unsigned char, 16> bytes{};
  return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

// The text goes through OpenSSL's configuration syntax, where ',' and '@' would have a meaning.
bool is_dns_name(const std::string& name) {
  if (name.empty() || name.size() > kMaxNameBytes || name.front() == '.' || name.front() == '-')
    return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '-' && c != '.' && c != '_') return false;
  }
  return name.find("..") == std::string::npos;
}

Result<std::string> alternative_names(const std::vector<std::string>& names) {
  if (names.empty() || names.size() > kMaxNames) {
    return invalid_argument("CERTIFICATE_NAME_INVALID",
                            cat("a server certificate needs 1 to ", kMaxNames, " names"));
  }
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    if (is_ip_address(name)) {
      parts.push_back(cat("IP:", name));
    } else if (is_dns_name(name)) {
      parts.push_back(cat("DNS:", name));
    } else {
      return invalid_argument("CERTIFICATE_NAME_INVALID",
                              "a name is neither an IP address nor a DNS name");
    }
  }
  return join(parts, ",");
}

}  // namespace

Result<KeyPair> make_ca(std::string_view common_name, WallTime now) {
  ASSIGN_OR_RETURN(const Key key, make_key());
  ASSIGN_OR_RETURN(const Certificate ca, begin(key.get(), common_name, now, kCaDays));
  TRY(add_extensions(ca.get(), ca.get(),
                     {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                      {NID_key_usage, "critical,keyCertSign,cRLSign"},
                      {NID_subject_key_identifier, "hash"}}));
  TRY(sign(ca.get(), ca.get(), key.get()));
  return write_pair(ca.get(), key.get());
}

Result<KeyPair> make_server_certificate(const KeyPair& ca, const std::vector<std::string>& names,
                                        WallTime now) {
  ASSIGN_OR_RETURN(const std::string alternatives, alternative_names(names));
  ASSIGN_OR_RETURN(const Certificate issuer, read_certificate(ca.certificate_pem));
  ASSIGN_OR_RETURN(const Key issuer_key, read_key(ca.private_key_pem));
  if (X509_check_private_key(issuer.get(), issuer_key.get()) != 1) {
    return invalid_argument("KEY_MISMATCH", "the CA key does not belong to the CA certificate");
  }
  ASSIGN_OR_RETURN(const Key key, make_key());
  ASSIGN_OR_RETURN(const Certificate leaf, begin(key.get(), "paddock", now, kServerDays));
  TRY(add_extensions(leaf.get(), issuer.get(),
                     {{NID_basic_constraints, "critical,CA:FALSE"},
                      {NID_key_usage, "critical,digitalSignature"},
                      {NID_ext_key_usage, "serverAuth"},
                      {NID_subject_alt_name, alternatives},
                      {NID_subject_key_identifier, "hash"},
                      {NID_authority_key_identifier, "keyid:always"}}));
  TRY(sign(leaf.get(), issuer.get(), issuer_key.get()));
  return write_pair(leaf.get(), key.get());
}

Result<Validity> certificate_validity(std::string_view certificate_pem) {
  ASSIGN_OR_RETURN(const Certificate certificate, read_certificate(certificate_pem));
  std::tm begin{};
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notBefore(certificate.get()), &begin) != 1 ||
      ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1)
    return bad_certificate();
  return Validity{{static_cast<int64_t>(::timegm(&begin)) * 1000},
                  {static_cast<int64_t>(::timegm(&end)) * 1000}};
}

Result<WallTime> certificate_expiry(std::string_view certificate_pem) {
  ASSIGN_OR_RETURN(const Validity validity, certificate_validity(certificate_pem));
  return validity.end;
}

}  // namespace paddock::crypto

#include "common/crypto/certificate.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "common/base/freed.h"

namespace paddock::crypto {
namespace {

constexpr WallTime kNow{1'790'000'000'000};
constexpr int64_t kDayMs = int64_t{24} * 60 * 60 * 1000;

using Certificate = std::unique_ptr<X509, Freed<&X509_free>>;

Certificate parse(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  Certificate certificate(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
  BIO_free(bio);
  return certificate;
}

// X509_V_OK or OpenSSL's reason why a TLS client would refuse `leaf` at that time.
int verify(const KeyPair& ca, const KeyPair& leaf, WallTime at, const char* host = nullptr,
           const char* ip = nullptr) {
  const Certificate root = parse(ca.certificate_pem);
  const Certificate end = parse(leaf.certificate_pem);
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, root.get());
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, end.get(), nullptr);
  X509_VERIFY_PARAM* param = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_time(param, at.ms / 1000);
  X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
  X509_VERIFY_PARAM_set_purpose(param, X509_PURPOSE_SSL_SERVER);
  if (host != nullptr) X509_VERIFY_PARAM_set1_host(param, host, 0);
  if (ip != nullptr) X509_VERIFY_PARAM_set1_ip_asc(param, ip);
  const int result = X509_verify_cert(context) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return result;
}

class CertificateTest : public testing::Test {
 protected:
  const KeyPair ca_ = make_ca("Paddock test CA", kNow).value();
  const KeyPair leaf_ =
      make_server_certificate(ca_, {"localhost", "127.0.0.1", "::1", "node-1.example"}, kNow)
          .value();
};

TEST_F(CertificateTest, AServerCertificateIsTrustedThroughItsCaForEachOfItsNames) {
  EXPECT_EQ(verify(ca_, leaf_, kNow, "localhost"), X509_V_OK);
  EXPECT_EQ(verify(ca_, leaf_, kNow, "node-1.example"), X509_V_OK);
  EXPECT_EQ(verify(ca_, leaf_, kNow, nullptr, "127.0.0.1"), X509_V_OK);
  EXPECT_EQ(verify(ca_, leaf_, kNow, nullptr, "::1"), X509_V_OK);
}

TEST_F(CertificateTest, AnotherNameOrAnotherCaIsRefused) {
  EXPECT_EQ(verify(ca_, leaf_, kNow, "other.example"), X509_V_ERR_HOSTNAME_MISMATCH);
  EXPECT_EQ(verify(ca_, leaf_, kNow, nullptr, "10.0.0.1"), X509_V_ERR_IP_ADDRESS_MISMATCH);
  const KeyPair other = make_ca("Paddock test CA", kNow).value();
  EXPECT_NE(verify(other, leaf_, kNow), X509_V_OK);
}

TEST_F(CertificateTest, IsValidFromAMinuteEarlierUntilItsExpiry) {
  EXPECT_EQ(verify(ca_, leaf_, {kNow.ms - 30'000}), X509_V_OK);
  EXPECT_EQ(verify(ca_, leaf_, {kNow.ms - 120'000}), X509_V_ERR_CERT_NOT_YET_VALID);
  const WallTime end = certificate_expiry(leaf_.certificate_pem).value();
  EXPECT_EQ(certificate_validity(leaf_.certificate_pem).value().begin, WallTime{kNow.ms - 60'000});
  EXPECT_LE(end.ms - kNow.ms, 825 * kDayMs);
  EXPECT_GE(end.ms - kNow.ms, 824 * kDayMs);
  EXPECT_EQ(verify(ca_, leaf_, {end.ms - 1000}), X509_V_OK);
  EXPECT_EQ(verify(ca_, leaf_, {end.ms + 2000}), X509_V_ERR_CERT_HAS_EXPIRED);
  EXPECT_NEAR(static_cast<double>(certificate_expiry(ca_.certificate_pem).value().ms - kNow.ms) /
                  static_cast<double>(kDayMs),
              3652, 1);
}

TEST_F(CertificateTest, EveryCertificateHasItsOwnSerialAndKey) {
  const KeyPair again = make_server_certificate(ca_, {"localhost"}, kNow).value();
  EXPECT_NE(again.private_key_pem, leaf_.private_key_pem);
  const Certificate a = parse(leaf_.certificate_pem);
  const Certificate b = parse(again.certificate_pem);
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(a.get()), X509_get0_serialNumber(b.get())), 0);
}

TEST_F(CertificateTest, AServerCertificateCannotSignOthers) {
  const KeyPair below = make_server_certificate(leaf_, {"localhost"}, kNow).value();
  EXPECT_NE(verify(leaf_, below, kNow), X509_V_OK);
}

TEST_F(CertificateTest, NamesThatAreNoNamesAreRefused) {
  for (const std::string& name :
       {std::string(), std::string("a,DNS:b"), std::string("@section"), std::string("a b"),
        std::string("a\nb"), std::string("a..b"), std::string(300, 'a'), std::string("*")}) {
    const auto result = make_server_certificate(ca_, {name}, kNow);
    ASSERT_FALSE(result.ok()) << name;
    EXPECT_EQ(result.error().reason, "CERTIFICATE_NAME_INVALID");
  }
  EXPECT_FALSE(make_server_certificate(ca_, {}, kNow).ok());
  EXPECT_FALSE(make_ca("", kNow).ok());
}

TEST_F(CertificateTest, BrokenOrMixedUpPemIsRefusedWithItsReason) {
  EXPECT_EQ(certificate_expiry("nonsense").error().reason, "CERTIFICATE_INVALID");
  EXPECT_EQ(certificate_expiry("").error().reason, "CERTIFICATE_INVALID");
  EXPECT_EQ(
      make_server_certificate({ca_.certificate_pem, leaf_.private_key_pem}, {"localhost"}, kNow)
          .error()
          .reason,
      "KEY_MISMATCH");
  EXPECT_EQ(make_server_certificate({ca_.certificate_pem, "nonsense"}, {"localhost"}, kNow)
                .error()
                .reason,
            "KEY_INVALID");
}

}  // namespace
}  // namespace paddock::crypto

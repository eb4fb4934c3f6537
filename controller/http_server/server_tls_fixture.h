// A server over TLS and a client of it, for tests.
#pragma once

#include <string>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "common/crypto/certificate.h"
#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {

struct TestAuthority {
  crypto::KeyPair ca = crypto::make_ca("test", SystemClock().wall()).value();
  crypto::KeyPair server =
      crypto::make_server_certificate(ca, {"localhost", "127.0.0.1"}, SystemClock().wall()).value();
};

inline const TestAuthority& ours() {
  static const TestAuthority authority;
  return authority;
}

struct TlsOffer {
  std::string trusted_ca;
  int max_version = 0;
  std::string protocols = {};  // in ALPN's wire form
};

class TlsClient {
 public:
  // `first`: before TLS begins.
  TlsClient(int port, const TlsOffer& offer, const std::string& first = {})
      : raw_(RawClient::tcp(port)), context_(SSL_CTX_new(TLS_client_method())) {
    raw_.send(first);
    BIO* bio = BIO_new_mem_buf(offer.trusted_ca.data(), static_cast<int>(offer.trusted_ca.size()));
    X509* ca = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_), ca);
    X509_free(ca);
    BIO_free(bio);
    SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_max_proto_version(context_, offer.max_version);
    SSL_CTX_set_security_level(context_, offer.max_version == 0 ? 2 : 0);
    session_ = SSL_new(context_);
    SSL_set1_host(session_, "localhost");
    SSL_set_fd(session_, raw_.fd());
    if (!offer.protocols.empty()) {
      SSL_set_alpn_protos(session_, reinterpret_cast<const unsigned char*>(offer.protocols.data()),
                          static_cast<unsigned>(offer.protocols.size()));
    }
    ERR_clear_error();
    trusted_ = SSL_connect(session_) == 1;
  }
  ~TlsClient() {
    SSL_free(session_);
    SSL_CTX_free(context_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;
  bool trusted() const { return trusted_; }
  std::string version() const { return SSL_get_version(session_); }
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(session_, &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }
  void send(const std::string& bytes) {
    SSL_write(session_, bytes.data(), static_cast<int>(bytes.size()));
  }
  std::string read_until(const std::string& text) {
    std::string all;
    char bytes[16 << 10];
    while (all.find(text) == std::string::npos) {
      const int got = SSL_read(session_, bytes, sizeof bytes);
      if (got <= 0) break;
      all.append(bytes, static_cast<size_t>(got));
    }
    return all;
  }
  void say_goodbye() { SSL_shutdown(session_); }
  void close() { raw_.close(); }
  void shut() { raw_.close_sending(); }

 private:
  RawClient raw_;
  SSL_CTX* context_;
  SSL* session_ = nullptr;
  bool trusted_ = false;
};

class ServerTls : public ServerTest {
 protected:
  static ServerOptions tls_listener() {
    ServerOptions options = one_listener();
    options.listen[0].tls = TlsFiles{ours().server.certificate_pem + ours().ca.certificate_pem,
                                     ours().server.private_key_pem};
    return options;
  }
};

}  // namespace paddock::http_server

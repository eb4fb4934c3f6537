#include "controller/http_server/tls.h"

#include <algorithm>
#include <limits>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "common/base/freed.h"
#include "common/crypto/pem_io.h"

namespace paddock::http_server {
namespace {

using crypto::Bio;
using crypto::Key;
using crypto::memory_of;
using crypto::no_pass_phrase;
using Certificate = std::unique_ptr<X509, Freed<&X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Freed<&SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freed<&SSL_free>>;

class TlsTransport final : public Transport {
 public:
  TlsTransport(os::Fd fd, const StopSignal& stop, int write_timeout_ms, Session session)
      : Transport(std::move(fd), stop, write_timeout_ms), session_(std::move(session)) {}

 private:
  static int size_of(size_t size) {
    return static_cast<int>(std::min<size_t>(size, std::numeric_limits<int>::max()));
  }
  Attempt attempt_of(int result) {
    if (result > 0) return Attempt::kDone;
    const int error = SSL_get_error(session_.get(), result);
    if (error == SSL_ERROR_WANT_READ) return Attempt::kWantsRead;
    if (error == SSL_ERROR_WANT_WRITE) return Attempt::kWantsWrite;
    broken_ = error != SSL_ERROR_ZERO_RETURN;
    return Attempt::kClosed;
  }
  Attempt attempt_handshake() override {
    ERR_clear_error();
    return attempt_of(SSL_accept(session_.get()));
  }
  Attempt attempt_read(char* into, size_t size, size_t& got) override {
    ERR_clear_error();
    const int result = SSL_read(session_.get(), into, size_of(size));
    if (result > 0) got = static_cast<size_t>(result);
    return attempt_of(result);
  }
  Attempt attempt_write(std::string_view bytes, size_t& written) override {
    ERR_clear_error();
    const int result = SSL_write(session_.get(), bytes.data(), size_of(bytes.size()));
    if (result > 0) written = static_cast<size_t>(result);
    return attempt_of(result);
  }
  void say_goodbye() override {
    ERR_clear_error();
    if (!broken_ && SSL_is_init_finished(session_.get()) != 0) (void)SSL_shutdown(session_.get());
  }
  // Uses SSL_pending() and not SSL_has_pending(), which also counts a part of a record, whose rest
  // must still come from the socket.
  bool has_buffered() const override { return SSL_pending(session_.get()) > 0; }

  Session session_;
  bool broken_ = false;  // after a fatal error nothing more may be written
};

class OpenSslContext final : public TlsContext {
 public:
  explicit OpenSslContext(Context context) : context_(std::move(context)) {}
  Result<std::unique_ptr<Transport>> accept(os::Fd fd, const StopSignal& stop,
                                            int write_timeout_ms) const override {
    Session session(SSL_new(context_.get()));
    if (session == nullptr || SSL_set_fd(session.get(), fd.get()) != 1) {
      return Error{Code::kInternal, "TLS_FAILED", "a TLS session could not be made"};
    }
    return std::unique_ptr<Transport>(
        std::make_unique<TlsTransport>(std::move(fd), stop, write_timeout_ms, std::move(session)));
  }

 private:
  Context context_;
};

Error bad_certificate() {
  return invalid_argument("TLS_CERTIFICATE_INVALID",
                          "the server certificate is not a chain of PEM certificates");
}

Status use_certificates(SSL_CTX* context, const std::string& pem) {
  const Bio bio = memory_of(pem);
  if (bio == nullptr) return bad_certificate();
  const Certificate leaf(PEM_read_bio_X509_AUX(bio.get(), nullptr, no_pass_phrase, nullptr));
  if (leaf == nullptr || SSL_CTX_use_certificate(context, leaf.get()) != 1)
    return bad_certificate();
  for (;;) {
    Certificate next(PEM_read_bio_X509(bio.get(), nullptr, no_pass_phrase, nullptr));
    if (next == nullptr) break;
    if (SSL_CTX_add0_chain_cert(context, next.get()) != 1) return bad_certificate();
    (void)next.release();  // the context owns it now
  }
  const unsigned long last = ERR_peek_last_error();
  const bool at_end =
      ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE;
  return at_end ? Status() : Status(bad_certificate());
}

Status use_key(SSL_CTX* context, const std::string& pem) {
  const Bio bio = memory_of(pem);
  const Key key(bio == nullptr
                    ? nullptr
                    : PEM_read_bio_PrivateKey(bio.get(), nullptr, no_pass_phrase, nullptr));
  if (key == nullptr) {
    return invalid_argument("TLS_KEY_INVALID",
                            "the server key is not a PEM private key without a pass phrase");
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return invalid_argument("TLS_KEY_MISMATCH",
                            "the server key does not belong to the server certificate");
  }
  return {};
}

// A client that offers protocols must offer http/1.1.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned int size, void*) {
  static const unsigned char kOurs[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOurs, sizeof kOurs - 1, offered, size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

bool configure(SSL_CTX* context) {
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_num_tickets(context, 1) == 1 &&
         SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
}

}  // namespace

Result<std::shared_ptr<TlsContext>> TlsContext::make(const TlsFiles& files) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr || !configure(context.get())) {
    return Error{Code::kInternal, "TLS_FAILED", "TLS could not be set up"};
  }
  TRY(use_certificates(context.get(), files.certificate_pem));
  TRY(use_key(context.get(), files.private_key_pem));
  ERR_clear_error();
  return std::shared_ptr<TlsContext>(std::make_shared<OpenSslContext>(std::move(context)));
}

}  // namespace paddock::http_server

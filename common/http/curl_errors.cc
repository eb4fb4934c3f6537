#include "common/http/curl_errors.h"

#include "common/base/text.h"
#include "common/http/clock_gap.h"
#include "common/http/http_client.h"

namespace paddock::http {
namespace {

// X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED, of the certificate or its CA.
// LibreSSL has the same; what has not stays at SERVER_NOT_TRUSTED.
constexpr long kNotYetValid = 9;
constexpr long kHasExpired = 10;

}  // namespace

bool is_peer_unproven(const Error& error) {
  return is_one_of(error.reason, {kNotTrusted, kNotValidNow, kWrongProtocol});
}

Error certificate_error(long verdict, std::string_view peer, WallTime now) {
  if (verdict != kNotYetValid && verdict != kHasExpired) {
    return {Code::kUnauthenticated, kNotTrusted,
            cat(peer, " does not show a certificate that is trusted here")};
  }
  // It cannot be known here whether the clock or the certificate is wrong.
  return {
      Code::kUnauthenticated, kNotValidNow,
      cat("the certificate of ", peer,
          verdict == kNotYetValid ? " is not valid yet" : " has expired",
          " by this host's clock, which says ", format_time(now), ". If that is wrong: ", kSetClock,
          "; if it is right, renew the certificate: a restart of the controller does for its "
          "own, a tls.certFile wants a new one")};
}

bool is_wrong_protocol(CURLcode code, std::string_view words, bool has_head) {
  // What OpenSSL says of bytes that are not TLS: before 3.2, and from there on.
  if (code == CURLE_SSL_CONNECT_ERROR) {
    return words.find("wrong version number") != words.npos ||
           words.find("record layer failure") != words.npos;
  }
  // HTTP/0.9 is libcurl's name for an answer without a head.
  return !has_head && (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY);
}

Error protocol_error(CURLcode code, std::string_view peer) {
  return {Code::kUnauthenticated, kWrongProtocol,
          cat(peer, code == CURLE_SSL_CONNECT_ERROR
                        ? " speaks no TLS on this port: correct the port, or write http:// for a "
                          "server on this host"
                        : " speaks no HTTP on this port: correct the port, or write https://")};
}

Error name_error(std::string_view peer) {
  return {Code::kUnavailable, kNameUnknown, cat("cannot reach ", peer, ": there is no such host")};
}

Error curl_error(CURLcode code, std::string_view peer, bool connected) {
  const std::string_view words = curl_easy_strerror(code);
  // libcurl grows new codes with its versions, so this branches on the few that mean something
  // here.
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_ISSUER_ERROR) {
    return certificate_error(0, peer, {});
  }
  if (code == CURLE_SSL_CACERT_BADFILE) {
    return invalid_argument("BAD_CA", "the trusted certificate cannot be read as PEM");
  }
  if (!connected && (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)) {
    return invalid_argument("BAD_URL", cat(peer, " is not an http or https address"));
  }
  if (code == CURLE_OPERATION_TIMEDOUT && connected) {
    return {Code::kDeadlineExceeded, "TIMED_OUT", cat(peer, " did not answer in time")};
  }
  if (!connected) {
    return {Code::kUnavailable, "UNREACHABLE", cat("cannot reach ", peer, ": ", words)};
  }
  return {Code::kUnavailable, "CONNECTION_BROKEN",
          cat("the connection to ", peer, " broke: ", words)};
}

}  // namespace paddock::http

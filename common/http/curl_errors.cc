#include "common/http/curl_errors.h"

#include "common/base/text.h"

namespace paddock::http {

Error curl_error(CURLcode code, std::string_view peer, bool connected) {
  const std::string_view words = curl_easy_strerror(code);
  // libcurl grows new codes with its versions, so this branches on the few that mean something
  // here.
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_ISSUER_ERROR) {
    return {Code::kUnauthenticated, "SERVER_NOT_TRUSTED",
            cat(peer, " does not show a certificate that is trusted here")};
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

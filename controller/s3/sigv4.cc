#include "controller/s3/sigv4.h"

#include <vector>

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/crypto/digest.h"

namespace paddock::s3 {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string hmac(std::string_view key, std::string_view text) {
  return hex_decode(crypto::hmac_sha256_hex(key, text));
}

// White space between words becomes one blank.
std::string plain_value(std::string_view value) {
  std::string out;
  for (const char c : trim(value)) {
    if (c == ' ' && out.ends_with(' ')) continue;
    out += c;
  }
  return out;
}

std::string signed_names(const ToSign& request) {
  std::vector<std::string> names;
  for (const auto& [name, value] : request.headers) names.push_back(name);
  return join(names, ";");
}

std::string canonical_request(const ToSign& request) {
  std::string headers;
  for (const auto& [name, value] : request.headers)
    headers += cat(name, ":", plain_value(value), "\n");
  return cat(request.method, "\n", request.path, "\n", canonical_query(request.query), "\n",
             headers, "\n", signed_names(request), "\n", request.payload_sha256);
}

}  // namespace

std::string canonical_query(const std::map<std::string, std::string>& query) {
  std::map<std::string, std::string> encoded;  // its order is that of what is sent
  for (const auto& [name, value] : query) encoded[percent_encode(name)] = percent_encode(value);
  std::vector<std::string> parts;
  for (const auto& [name, value] : encoded) parts.push_back(cat(name, "=", value));
  return join(parts, "&");
}

std::string amz_date(WallTime now) {
  std::string out;
  for (const char c : format_time(now))
    if (c != '-' && c != ':') out += c;
  return out;
}

std::string authorization(const ToSign& request, const Credentials& credentials, const Scope& scope,
                          WallTime now) {
  const std::string time = amz_date(now);
  const std::string day = time.substr(0, 8);
  const std::string range = cat(day, "/", scope.region, "/", scope.service, "/aws4_request");
  const std::string text = cat(kAlgorithm, "\n", time, "\n", range, "\n",
                               crypto::sha256_hex(canonical_request(request)));
  const std::string of_day = hmac(cat("AWS4", credentials.secret_key), day);
  const std::string of_service = hmac(hmac(of_day, scope.region), scope.service);
  const std::string key = hmac(of_service, "aws4_request");
  return cat(kAlgorithm, " Credential=", credentials.access_key, "/", range,
             ", SignedHeaders=", signed_names(request),
             ", Signature=", crypto::hmac_sha256_hex(key, text));
}

}  // namespace paddock::s3

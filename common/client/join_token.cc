#include "common/client/join_token.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/enrollment.h"
#include "common/crypto/certificate.h"

namespace paddock::client {
namespace {

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
constexpr size_t kLongest = 8192;
constexpr size_t kLineOfPem = 64;

Error malformed(std::string_view what) {
  return invalid_argument("ENROLL_TOKEN_MALFORMED",
                          cat("this is not what `paddock node token` printed: ", what), "token");
}

bool is_base64url(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

// The base64 of the only certificate in the text; empty if there is none or more than one.
std::string only_certificate(std::string_view pem) {
  const size_t begin = pem.find(kBegin);
  if (begin == pem.npos || pem.find(kBegin, begin + 1) != pem.npos) return {};
  const size_t end = pem.find(kEnd, begin);
  if (end == pem.npos) return {};
  std::string body(pem.substr(begin + kBegin.size(), end - begin - kBegin.size()));
  std::erase_if(body, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
  return decode_base64(body) ? body : std::string();
}

std::string to_url(std::string text) {
  std::erase(text, '=');
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::string from_url(std::string text) {
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::string to_pem(std::string_view body) {
  std::string pem = cat(kBegin, "\n");
  for (size_t at = 0; at < body.size(); at += kLineOfPem)
    pem += cat(body.substr(at, kLineOfPem), "\n");
  return cat(pem, kEnd, "\n");
}

}  // namespace

std::string format_join_token(const JoinToken& token) {
  const std::string body = only_certificate(token.ca_pem);
  if (body.empty() || token.secret.size() + body.size() >= kLongest) return token.secret;
  return cat(token.secret, ".", to_url(body));
}

Result<JoinToken> parse_join_token(std::string_view text) {
  text = trim(text);
  if (text.size() > kLongest) return malformed("it is too long");
  const size_t dot = text.find('.');
  JoinToken token{std::string(text.substr(0, dot)), {}};
  const std::string prefix = cat(contracts::kEnrollTokenPrefix, "_");
  if (!token.secret.starts_with(prefix) || !is_base64url(token.secret))
    return malformed(cat("it begins with ", prefix, ", then letters, digits, - and _"));
  if (dot == text.npos) return token;
  const std::string_view certificate = text.substr(dot + 1);
  if (!is_base64url(certificate) || !decode_base64(from_url(std::string(certificate))))
    return malformed("the certificate behind the dot is cut or changed");
  token.ca_pem = to_pem(from_url(std::string(certificate)));
  if (!crypto::certificate_expiry(token.ca_pem))
    return malformed("the certificate behind the dot is cut or changed");
  return token;
}

}  // namespace paddock::client

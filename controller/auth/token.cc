#include "controller/auth/token.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/crypto/digest.h"

namespace paddock::auth {
namespace {

constexpr size_t kLongestSecret = 256;
constexpr const char* kEnrollTokenRevoked =
    "this enrolment token was revoked; an operator's `paddock node token NAME` prints the `paddock "
    "node join` line for one host";

Error unauthenticated(Reason reason, std::string message) {
  return {Code::kUnauthenticated, reason, std::move(message)};
}

// token68 of RFC 9110 section 11.2, which is what a bearer token may consist of.
bool is_token68(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~+/=").find(c) != std::string_view::npos;
  });
}

}  // namespace

MintedToken mint_token(Random& random, std::string_view prefix) {
  MintedToken token;
  token.secret = crypto::make_token(random, prefix);
  token.hash = token_hash(token.secret);
  token.id = cat(prefix, "-", make_suffix(random, 10));
  return token;
}

std::string token_hash(std::string_view secret) { return crypto::sha256_hex(secret); }

std::vector<std::string> admin_scopes() { return {"*"}; }
std::vector<std::string> enroll_scopes() { return {std::string(scope_name(Scope::kNodeEnroll))}; }
std::vector<std::string> node_scopes() { return {std::string(scope_name(Scope::kNodeSelf))}; }
std::string node_subject(std::string_view node_name) { return cat("node:", node_name); }
std::string enroll_subject(std::string_view node_name) { return cat("enroll:", node_name); }

bool is_fresh(const std::vector<std::string>& scopes) {
  return std::ranges::find(scopes, kFreshCredential) != scopes.end();
}

Result<std::string> bearer_secret(std::string_view authorization_header) {
  if (authorization_header.empty()) return std::string();
  const size_t space = authorization_header.find(' ');
  if (space == std::string_view::npos ||
      ascii_lower(authorization_header.substr(0, space)) != "bearer") {
    return unauthenticated("AUTHORIZATION_MALFORMED",
                           "only `Authorization: Bearer <token>` is accepted");
  }
  const std::string_view secret = trim(authorization_header.substr(space + 1));
  if (secret.empty() || secret.size() > kLongestSecret || !is_token68(secret)) {
    return unauthenticated("AUTHORIZATION_MALFORMED",
                           "the bearer token is not one that this server made");
  }
  return std::string(secret);
}

Result<Principal> authenticate(const std::optional<Credential>& credential, WallTime now) {
  if (!credential) return unauthenticated("TOKEN_UNKNOWN", "this token is not known here");
  const bool expired = credential->expires_ms && *credential->expires_ms <= now.ms;
  if ((credential->revoked || expired) && !enrolled_node(credential->subject).empty()) {
    const Reason why = credential->revoked ? kEnrollTokenSpent : kEnrollTokenExpired;
    return Principal{credential->subject, {}, {}, credential->id, {}, why};
  }
  if (credential->revoked) {
    return unauthenticated("TOKEN_REVOKED", credential->scopes == enroll_scopes()
                                                ? kEnrollTokenRevoked
                                                : "this token was revoked");
  }
  if (expired) return unauthenticated("TOKEN_EXPIRED", "this token has expired");
  return Principal{credential->subject, credential->scopes, credential->name_space, credential->id};
}

Principal anonymous() { return {"anonymous", {}, {}, {}}; }

}  // namespace paddock::auth

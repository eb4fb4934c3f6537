// Bearer tokens: shown once when made, kept as a SHA-256 only. Pure except for the given Random. A
// token is looked up by its hash, so no secret is compared and timing reveals nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/auth/principal.h"

namespace paddock::auth {

// A fresh token: `secret` goes to its owner, `hash` and `id` into the store.
struct MintedToken {
  std::string secret;
  std::string hash;
  std::string id;  // public: names the token in lists and logs
};
// `prefix` says what the token is for: contracts::kAccessTokenPrefix, kEnrollTokenPrefix or
// kNodeTokenPrefix.
MintedToken mint_token(Random& random, std::string_view prefix);
std::string token_hash(std::string_view secret);

// Scopes of the built-in roles.
std::vector<std::string> admin_scopes();
std::vector<std::string> enroll_scopes();
std::vector<std::string> node_scopes();
std::string node_subject(std::string_view node_name);
// The subject of an enrolment token that is good for one node, and for the first host that uses it.
std::string enroll_subject(std::string_view node_name);
// A node's credential that was never used; its first use ends the older one.
inline constexpr std::string_view kFreshCredential = "node:new";
bool is_fresh(const std::vector<std::string>& scopes);

// The secret in `Authorization: Bearer <secret>`; empty if the header is absent. Unauthenticated
// (AUTHORIZATION_MALFORMED) for another scheme or an odd token.
Result<std::string> bearer_secret(std::string_view authorization_header);

// What the store knows about a token.
struct Credential {
  std::string id;
  std::string subject;
  std::vector<std::string> scopes;
  std::string name_space;
  std::optional<int64_t> expires_ms;
  bool revoked = false;
};
// Unauthenticated (TOKEN_UNKNOWN, TOKEN_REVOKED, TOKEN_EXPIRED) unless it is valid at `now`. Whose
// one-use enrolment token is over is known still (Principal::over), so that it can be told and
// recorded.
Result<Principal> authenticate(const std::optional<Credential>& credential, WallTime now);
Principal anonymous();

}  // namespace paddock::auth

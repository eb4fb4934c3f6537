// Who sent a request, by its token.
#pragma once

#include <string_view>

#include "controller/api/server/call.h"
#include "controller/auth/token.h"
#include "controller/store/store.h"

namespace paddock::api {

// What the paths of E2B's tools begin with.
inline constexpr std::string_view kE2bPrefix = "e2b";

// The secret that a request carries: that of `Authorization: Bearer`, or below /e2b that of the
// headers of E2B's tools, whose Authorization is the name of a user. Empty where there is none.
// Unauthenticated (AUTHORIZATION_MALFORMED).
Result<std::string> secret_of(const Request& request);
// The holder, by its hash, of a token that this server made.
Result<auth::Principal> holder_of_token(const std::string& hash, store::Store& store, WallTime now);

// Anonymous without such a secret. Unauthenticated: AUTHORIZATION_MALFORMED,
// TOKEN_UNKNOWN, TOKEN_REVOKED, TOKEN_EXPIRED; TOOL_TOKEN_INVALID, TOOL_TOKEN_EXPIRED.
Result<auth::Principal> principal_of(const Request& request, store::Store& store, WallTime now);
// The same for a secret that secret_of() returned.
Result<auth::Principal> holder_of_secret(const std::string& secret, store::Store& store,
                                         WallTime now);

// The record that the store keeps of a token.
store::TokenRecord token_record(const auth::MintedToken& token, std::string subject,
                                std::vector<std::string> scopes);

// Before the handler of any route: a node's new credential ends the older one by being used.
Status settle_credential(const Call& call);

}  // namespace paddock::api

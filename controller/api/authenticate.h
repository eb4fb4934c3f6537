// Who sent a request, by its bearer token.
#pragma once

#include "controller/auth/token.h"
#include "controller/http_server/http_message.h"
#include "controller/store/store.h"

namespace paddock::api {

// Anonymous without an Authorization header. Unauthenticated: AUTHORIZATION_MALFORMED,
// TOKEN_UNKNOWN, TOKEN_REVOKED, TOKEN_EXPIRED; TOOL_TOKEN_INVALID, TOOL_TOKEN_EXPIRED.
Result<auth::Principal> principal_of(const Request& request, store::Store& store, WallTime now);

// What the store keeps of a token.
store::TokenRecord token_record(const auth::MintedToken& token, std::string subject,
                                std::vector<std::string> scopes);

}  // namespace paddock::api

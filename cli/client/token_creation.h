// Credentials whose secret is in the answer to their creation and nowhere else.
#pragma once

#include <functional>
#include <string>

#include "common/base/random.h"
#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::cli {

struct TokenCreation {
  // POSTs the request with this Idempotency-Key.
  std::function<Result<wire::Value>(const std::string& key)> post;
  // Ends the token that an answer names.
  std::function<Status(const wire::Value& made)> end;
  std::string secret;  // its place in the answer
};

// The answer, with the secret. A lost answer makes no second token: the request is repeated with
// its key, and the answer then names what was made, without the secret, which nobody has. That one
// is ended, and another is made in its place. CONNECTION_BROKEN after several such losses.
Result<wire::Value> create_token(const TokenCreation& creation, Random& random);

}  // namespace paddock::cli

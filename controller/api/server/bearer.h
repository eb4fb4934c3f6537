// The token that something was asked for with, where that lasts and is to end with the token.
#pragma once

#include <string>

#include "common/base/result.h"
#include "controller/api/server/call.h"

namespace paddock::api {

struct Bearer {
  std::string token_id;  // empty: there is none
  std::string token_hash;
};

// Unauthenticated: as secret_of().
Result<Bearer> bearer_of(const Call& call);
// Ending a token also ends the calls that are known by then. One that is known only now looks
// whether its token was ended meanwhile: a request may take its time to come.
bool may_go_on(const Services& services, const Bearer& bearer);
// Checks the token again before more is done over a connection that was opened earlier, as if that
// were a new request. Unauthenticated: TOKEN_REVOKED, TOKEN_EXPIRED, TOKEN_UNKNOWN.
Status check_bearer(const Services& services, const Bearer& bearer);

// For an answer that goes on for as long as there is something to tell: it ends within a minute of
// the token that it was asked for with, whatever kind of token that is. One thread at a time; the
// services outlive it.
class HeldToken {
 public:
  explicit HeldToken(const Call& call);
  // Asks the store once a minute. TOKEN_REVOKED, TOKEN_EXPIRED, TOKEN_UNKNOWN; or unavailable: the
  // store cannot say.
  Status check();
  bool holds() { return check().ok(); }
  // When the token is checked next.
  MonoTime next() const { return next_; }

 private:
  Services& services_;
  const std::string secret_;
  MonoTime next_;
};

}  // namespace paddock::api

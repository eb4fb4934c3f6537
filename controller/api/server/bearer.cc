#include "controller/api/server/bearer.h"

#include "controller/api/server/authenticate.h"
#include "controller/auth/token.h"

namespace paddock::api {
namespace {

constexpr Millis kRound{60'000};

// A malformed header was refused before this is called.
std::string secret_in(const Request& request) {
  auto secret = secret_of(request);
  return secret.ok() ? std::move(*secret) : "";
}

}  // namespace

Result<Bearer> bearer_of(const Call& call) {
  ASSIGN_OR_RETURN(const std::string secret, secret_of(call.request));
  return Bearer{call.principal.token_id, auth::token_hash(secret)};
}

bool may_go_on(const Services& services, const Bearer& bearer) {
  if (bearer.token_id.empty()) return true;
  const auto token = services.store.token_by_hash(bearer.token_hash);
  return token.ok() && *token && !(*token)->revoked;
}

Status check_bearer(const Services& services, const Bearer& bearer) {
  if (bearer.token_id.empty()) return {};
  const auto holder = holder_of_token(bearer.token_hash, services.store, services.clock.wall());
  return holder.ok() ? Status() : Status(holder.error());
}

HeldToken::HeldToken(const Call& call)
    : services_(call.services),
      secret_(secret_in(call.request)),
      next_(call.services.clock.mono() + kRound) {}

Status HeldToken::check() {
  const MonoTime now = services_.clock.mono();
  if (now < next_) return {};
  next_ = now + kRound;
  const auto holder = holder_of_secret(secret_, services_.store, services_.clock.wall());
  return holder.ok() ? Status() : Status(holder.error());
}

}  // namespace paddock::api

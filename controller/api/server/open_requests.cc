#include "controller/api/server/open_requests.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/auth/token.h"

namespace paddock::api {
namespace {

// A run by its tool tokens, anybody else by the name behind the token: a second token of it gives
// no second share.
std::string holder_of(const auth::Principal& principal) {
  if (principal.tool) return cat("run/", principal.tool->run_uid);
  return cat("subject/", principal.name_space, "/", principal.subject);
}

bool administers(const auth::Principal& principal) {
  return !principal.tool && auth::authorize(principal, auth::Scope::kAdmin, "", "").ok();
}

bool is_node(const auth::Principal& principal) {
  const std::string prefix = auth::node_subject("");
  return principal.subject.starts_with(prefix) &&
         auth::authorize(principal, auth::Scope::kNodeSelf, "",
                         std::string_view(principal.subject).substr(prefix.size()))
             .ok();
}

Error later(Reason reason, std::string message) {
  Error error{Code::kResourceExhausted, reason, std::move(message)};
  error.facts = {{"retryAfterSeconds", "5"}};
  return error;
}

Error too_many(size_t most) {
  return later("TOO_MANY_OPEN_REQUESTS",
               cat("this token's holder has ", most,
                   " requests open (watches, streams, uploads), which is all that one may have; "
                   "end some, then try again"));
}

Error reserved() {
  return later("CONNECTIONS_RESERVED",
               "the connections that are left are kept for short requests, nodes and "
               "administrators; try again later");
}

}  // namespace

RequestShares shares_of(size_t connections) {
  return {std::max<size_t>(connections / 4, 2), std::max<size_t>(connections / 2, 2),
          connections - std::max<size_t>(connections / 16, 1)};
}

Result<std::shared_ptr<OpenRequests::Permit>> OpenRequests::enter(
    const auth::Principal& principal) {
  const bool admin = administers(principal);
  const bool ordinary = !admin && !is_node(principal);
  std::string holder = holder_of(principal);
  TRY(open_.with([&](Open& open) -> Status {
    size_t& held = open.by_holder[holder];
    if (!admin && held >= shares_.one) return too_many(shares_.one);
    if (ordinary && open.ordinary >= shares_.all) {
      if (held == 0) open.by_holder.erase(holder);
      return reserved();
    }
    ++held;
    if (ordinary) ++open.ordinary;
    return {};
  }));
  return std::shared_ptr<Permit>(new Permit(*this, std::move(holder), ordinary));
}

size_t OpenRequests::held_by(const auth::Principal& principal) const {
  const std::string holder = holder_of(principal);
  return open_.with([&](const Open& open) {
    const auto held = open.by_holder.find(holder);
    return held == open.by_holder.end() ? 0 : held->second;
  });
}

Status OpenRequests::Permit::make_endless() {
  if (!ordinary_ || endless_) return {};
  return all_.open_.with([&](Open& open) -> Status {
    if (open.endless >= all_.shares_.endless) return reserved();
    ++open.endless;
    endless_ = true;
    return {};
  });
}

OpenRequests::Permit::~Permit() {
  all_.open_.with([&](Open& open) {
    const auto held = open.by_holder.find(holder_);
    if (--held->second == 0) open.by_holder.erase(held);
    if (ordinary_) --open.ordinary;
    if (endless_) --open.endless;
  });
}

}  // namespace paddock::api

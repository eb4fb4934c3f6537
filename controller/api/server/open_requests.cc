#include "controller/api/server/open_requests.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/auth/token.h"

namespace paddock::api {
namespace {

// A run by its tool tokens, anybody else by the name behind the token: a second token of it gives
// no second share.
OpenRequests::Holder holder_of(const auth::Principal& principal) {
  OpenRequests::Holder out;
  if (!principal.name_space.empty()) out.name_space = cat("namespace/", principal.name_space);
  out.name = principal.tool ? cat("run/", principal.tool->run_uid)
                            : cat("subject/", principal.name_space, "/", principal.subject);
  return out;
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

Error too_many(const char* whose, size_t most) {
  return later("TOO_MANY_OPEN_REQUESTS",
               cat(whose, " ", most,
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
  return {.one = std::max<size_t>(connections / 4, 2),
          .name_space = std::max<size_t>(connections / 8 * 3, 2),
          .endless = std::max<size_t>(connections / 2, 2),
          .all = connections - std::max<size_t>(connections / 16, 1)};
}

size_t OpenRequests::Open::of(const std::string& name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? 0 : found->second;
}

void OpenRequests::Open::add(const Holder& holder) {
  ++by_name[holder.name];
  if (!holder.name_space.empty()) ++by_name[holder.name_space];
}

void OpenRequests::Open::remove(const Holder& holder) {
  for (const std::string& name : {holder.name, holder.name_space}) {
    const auto found = by_name.find(name);
    if (found != by_name.end() && --found->second == 0) by_name.erase(found);
  }
}

Status OpenRequests::check(const Open& open, const Holder& holder, bool admin,
                           bool ordinary) const {
  if (admin) return {};
  if (open.of(holder.name) >= shares_.one) return too_many("this token's holder has", shares_.one);
  if (!holder.name_space.empty() && open.of(holder.name_space) >= shares_.name_space)
    return too_many("the holders of this namespace's tokens and its runs have", shares_.name_space);
  return ordinary && open.ordinary >= shares_.all ? Status(reserved()) : Status();
}

Result<std::shared_ptr<OpenRequests::Permit>> OpenRequests::enter(
    const auth::Principal& principal) {
  const bool admin = administers(principal);
  const bool ordinary = !admin && !is_node(principal);
  Holder holder = holder_of(principal);
  const Status entered = open_.with([&](Open& open) -> Status {
    TRY(check(open, holder, admin, ordinary));
    open.add(holder);
    if (ordinary) ++open.ordinary;
    return {};
  });
  TRY(entered);
  return std::shared_ptr<Permit>(new Permit(*this, std::move(holder), ordinary));
}

size_t OpenRequests::held_by(const auth::Principal& principal) const {
  return open_.with([&](const Open& open) { return open.of(holder_of(principal).name); });
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
    open.remove(holder_);
    if (ordinary_) --open.ordinary;
    if (endless_) --open.endless;
  });
}

}  // namespace paddock::api

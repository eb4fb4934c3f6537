// Credentials that operators give to people and programs: who it is, what it may do, where, and
// until when. Paths: POST and GET /admin/tokens, DELETE /admin/tokens/{id}.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

inline constexpr std::string_view kAccessTokenPrefix = "pdk";  // of a secret, before its `_`
inline constexpr Millis kAccessTokenLife = std::chrono::hours(24 * 90);
inline constexpr Millis kLongestAccessTokenLife = std::chrono::hours(24 * 3660);

struct AccessTokenRequest {
  std::string subject;
  std::vector<std::string> scopes;
  std::string name_space;
  wire::Duration ttl{kAccessTokenLife};
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("subject", &AccessTokenRequest::subject,
              "who it is for, as audit log and grants name it: letters, digits and -._@",
              {.required = true, .min_length = 1, .max_length = 63}),
        field("scopes", &AccessTokenRequest::scopes, "what it may do, such as runs:write; * is all",
              {.required = true, .min_length = 1, .max_length = 32}),
        field("namespace", &AccessTokenRequest::name_space,
              "the only one it is good for; all unless given",
              {.omit_empty = true, .max_length = 63}),
        field("ttl", &AccessTokenRequest::ttl, "2160h unless given; from 1m to 87840h"));
  }
  void validate(wire::Check& check) const;
};

struct AccessToken {
  std::string id;
  std::string subject;
  std::vector<std::string> scopes;
  std::string name_space;
  std::optional<wire::Timestamp> expires_at;
  std::string token;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("id", &AccessToken::id, "names it in the audit log, and to revoke it"),
        field("subject", &AccessToken::subject, "who it is for"),
        field("scopes", &AccessToken::scopes, "what it may do"),
        field("namespace", &AccessToken::name_space,
              "the only one it is good for; all unless given", {.omit_empty = true}),
        field("expiresAt", &AccessToken::expires_at, "when its time is over; never unless given"),
        field("token", &AccessToken::token, "the secret, shown when it is made and never again",
              {.omit_empty = true}));
  }
};

// Those that are good still.
struct AccessTokenList {
  std::vector<AccessToken> items;
  static constexpr auto describe(auto&& visit) {
    return visit(field("items", &AccessTokenList::items, "by id"));
  }
};

}  // namespace paddock::contracts

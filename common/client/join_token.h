// What is handed to a host that shall join: an enrolment token and, behind a dot, the certificate
// of the CA that the controller is trusted by, so that one string is enough. Pure.
//   pdke_<secret>            pdke_<secret>.<the CA's DER in base64url>
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::client {

struct JoinToken {
  std::string secret;
  std::string ca_pem;  // empty: none came along
};

// A CA of several certificates does not fit in: the token is then the secret alone.
std::string format_join_token(const JoinToken& token);
// InvalidArgument (ENROLL_TOKEN_MALFORMED).
Result<JoinToken> parse_join_token(std::string_view text);

}  // namespace paddock::client

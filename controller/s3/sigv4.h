// AWS Signature Version 4 over headers, as S3 has it: the path of a request is signed as it is
// sent, encoded once. Pure. libcurl's own signing is not used: that of Debian 12 (7.88) signs the
// query as it stands, and needs it sorted and encoded (curl's issue 9717), and says of a body only
// what its caller puts into a header.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/base/time.h"

namespace paddock::s3 {

struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // of temporary ones; else empty
};

struct ToSign {
  std::string method;
  std::string path;                            // percent-encoded, from its first slash on
  std::map<std::string, std::string> query;    // as it is meant, not encoded
  std::map<std::string, std::string> headers;  // lower-case names; all of these are signed
  std::string payload_sha256;                  // of the body, in hexadecimal digits
};

struct Scope {
  std::string region;
  std::string service = "s3";
};

// The query as it has to be sent: sorted and encoded.
std::string canonical_query(const std::map<std::string, std::string>& query);
// `20130524T000000Z`, the value of x-amz-date, which `request.headers` must have.
std::string amz_date(WallTime now);
// The value of the header Authorization.
std::string authorization(const ToSign& request, const Credentials& credentials, const Scope& scope,
                          WallTime now);

}  // namespace paddock::s3

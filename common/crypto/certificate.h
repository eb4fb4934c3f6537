// A local certificate authority and server certificates for it, so that TLS is on by default.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace paddock::crypto {

struct KeyPair {
  std::string certificate_pem;
  std::string private_key_pem;
};
// A self-signed CA (P-256), valid ten years from `now`.
Result<KeyPair> make_ca(std::string_view common_name, WallTime now);
// A server certificate with subjectAltName for each name or IP address, valid for 825 days at most.
Result<KeyPair> make_server_certificate(const KeyPair& ca, const std::vector<std::string>& names,
                                        WallTime now);
// When the first certificate in the text is valid.
struct Validity {
  WallTime begin;
  WallTime end;
};
Result<Validity> certificate_validity(std::string_view certificate_pem);
// Its end.
Result<WallTime> certificate_expiry(std::string_view certificate_pem);

}  // namespace paddock::crypto

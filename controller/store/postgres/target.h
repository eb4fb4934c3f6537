// Which database, and how it is reached: a URL of libpq's, checked. Without a verified certificate
// only a Unix socket or this host itself is connected to.
#pragma once

#include <map>
#include <string>

#include "common/base/result.h"

namespace paddock::store::postgres {

// Keywords of libpq, with a password among them: never logged.
using Target = std::map<std::string, std::string>;

// InvalidArgument (STORE_URL_INVALID), FailedPrecondition (STORE_TLS_UNVERIFIED).
Result<Target> parse_target(const std::string& url);

// Pure: whether connections to these hosts leave this machine; as libpq has them, by commas.
bool leaves_host(const std::string& hosts);

}  // namespace paddock::store::postgres

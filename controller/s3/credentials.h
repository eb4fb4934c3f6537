// The key of a bucket, from a file in the form that AWS's programs have:
//   [default]
//   aws_access_key_id = …
//   aws_secret_access_key = …
//   aws_session_token = …          (of temporary ones)
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "controller/s3/sigv4.h"

namespace paddock::s3 {

// Pure. Unavailable, BUCKET_CREDENTIALS; no message has a part of the text.
Result<Credentials> parse_credentials(std::string_view text);
// Also refuses a file that others may read. Unavailable, BUCKET_CREDENTIALS.
Result<Credentials> read_credentials(const std::string& path);

}  // namespace paddock::s3

// Turns failures of libcurl into our errors. Pure.
#pragma once

#include <string_view>

#include <curl/curl.h>

#include "common/base/result.h"
#include "common/base/time.h"

namespace paddock::http {

// `peer` is the endpoint's name for people; `connected`: the connection stood when this happened.
Error curl_error(CURLcode code, std::string_view peer, bool connected);
// Nobody has the name of this endpoint.
Error name_error(std::string_view peer);
// Whether the peer answered in another protocol than its address says. `words`: of libcurl's error
// buffer; `has_head`: some of an answer's head came.
bool is_wrong_protocol(CURLcode code, std::string_view words, bool has_head);
Error protocol_error(CURLcode code, std::string_view peer);
// Why a certificate was not accepted. `verdict` is OpenSSL's (CURLINFO_SSL_VERIFYRESULT), `now` the
// time that it was held against.
Error certificate_error(long verdict, std::string_view peer, WallTime now);

}  // namespace paddock::http

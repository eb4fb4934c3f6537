// What a libcurl failure means to our callers. Pure.
#pragma once

#include <string_view>

#include <curl/curl.h>

#include "common/base/result.h"

namespace paddock::http {

// `peer` is the endpoint's name for people; `connected`: the connection stood when this happened.
Error curl_error(CURLcode code, std::string_view peer, bool connected);

}  // namespace paddock::http

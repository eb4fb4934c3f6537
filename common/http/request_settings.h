// Passes a request's settings to libcurl. For common/http only.
#pragma once

#include <memory>
#include <string>

#include <curl/curl.h>

#include "common/base/freed.h"
#include "common/http/http_client.h"

namespace paddock::http {

using Headers = std::unique_ptr<curl_slist, Freed<&curl_slist_free_all>>;

Headers make_headers(const std::string& token, const Request& request);
// Settings that are the same for every request.
void secure(CURL* easy, const Endpoint& endpoint);
// The settings of one request; `headers` must outlive the transfer.
void prepare(CURL* easy, const std::string& address, const Request& request, curl_slist* headers,
             Millis to_connect);

}  // namespace paddock::http

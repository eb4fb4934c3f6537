#include "common/http/name_lookup.h"

#include <netdb.h>
#include <sys/socket.h>

#include <memory>

#include <curl/curl.h>

#include "common/base/freed.h"

namespace paddock::http {
namespace {

using Url = std::unique_ptr<CURLU, Freed<&curl_url_cleanup>>;

// Without port; empty: there is none.
std::string host_of(const std::string& address) {
  const Url url(curl_url());
  char* host = nullptr;
  if (!url || curl_url_set(url.get(), CURLUPART_URL, address.c_str(), 0) != CURLUE_OK ||
      curl_url_get(url.get(), CURLUPART_HOST, &host, CURLU_URLDECODE) != CURLUE_OK)
    return {};
  std::string out = host;
  curl_free(host);
  return out;
}

// A second code for a name without addresses, which not every system has.
bool has_no_address(int fault) {
#ifdef EAI_NODATA
  return fault == EAI_NODATA;
#else
  return false;
#endif
}

}  // namespace

bool name_is_unknown(const std::string& address) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int fault = ::getaddrinfo(host_of(address).c_str(), nullptr, &hints, &list);
  if (fault == 0) ::freeaddrinfo(list);
  return fault == EAI_NONAME || has_no_address(fault);
}

}  // namespace paddock::http

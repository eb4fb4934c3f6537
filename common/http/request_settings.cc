#include "common/http/request_settings.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/http/exchange.h"
#include "common/os/socket.h"

namespace paddock::http {
namespace {

constexpr long kBufferBytes = 256 << 10;
constexpr long kKeepAliveSeconds = 30;       // of silence
constexpr long kKeepAliveEverySeconds = 10;  // then

curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address) {
  return os::make_socket(address->family, address->socktype, address->protocol).release();
}

// A small body goes out with its head, for whoever waits for both to be woken once.
bool in_one_piece(const Request& request) {
  constexpr size_t kMost = 16 << 10;
  return request.body_fd < 0 && !request.body.empty() && request.body.size() <= kMost;
}

bool names_content_type(const Request& request) {
  return std::ranges::any_of(request.headers, [](const auto& header) {
    return ascii_lower(header.first) == "content-type";
  });
}

bool sends_body(const Request& request) {
  return request.method == "POST" || request.method == "PUT" || request.method == "PATCH" ||
         body_size(request) > 0;
}

}  // namespace

Headers make_headers(const std::string& token, const Request& request) {
  curl_slist* list = nullptr;
  const auto add = [&](const std::string& line) {
    if (curl_slist* longer = curl_slist_append(list, line.c_str())) list = longer;
  };
  add("Expect:");
  if (in_one_piece(request) && !names_content_type(request)) add("Content-Type:");
  if (!token.empty()) add(cat("Authorization: Bearer ", token));
  for (const auto& [name, value] : request.headers) {
    add(value.empty() ? cat(name, ";") : cat(name, ": ", value));  // `name;` is an empty header
  }
  return Headers(list);
}

void secure(CURL* easy, const Endpoint& endpoint) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  // An answer may be long in coming, and what is between may forget a silent connection.
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveEverySeconds);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!endpoint.ca_pem.empty()) {
    curl_blob blob = {const_cast<char*>(endpoint.ca_pem.data()), endpoint.ca_pem.size(),
                      CURL_BLOB_COPY};
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);  // else the system's would be trusted besides
  }
  if (!endpoint.unix_socket.empty()) {
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, endpoint.unix_socket.c_str());
  }
}

void prepare(CURL* easy, const std::string& address, const Request& request, curl_slist* headers,
             Millis to_connect) {
  curl_easy_setopt(easy, CURLOPT_URL, cat(address, request.target).c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  const long timeout = static_cast<long>(request.timeout.count());
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout);
  const auto connect_ms = static_cast<long>(to_connect.count());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   timeout == 0 ? connect_ms : std::min(timeout, connect_ms));
  if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (in_one_piece(request)) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t{body_size(request)});
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  } else if (sends_body(request)) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t{body_size(request)});
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

}  // namespace paddock::http

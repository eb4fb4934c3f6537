// One request and its answer as libcurl's callbacks see them. For common/http only; one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include <curl/curl.h>

#include "common/base/time.h"
#include "common/http/http_client.h"

namespace paddock::http {

class Exchange {
 public:
  Exchange(CURL* easy, const Request& request, WallTime begun)
      : easy_(easy), request_(request), begun_(begun) {
    touch();
  }
  // Points the handle's callbacks at this object; it must outlive the transfer.
  void attach();

  const Response& response() const { return response_; }
  Response take() { return std::move(response_); }
  WallTime begun() const { return begun_; }
  bool too_large() const { return too_large_; }
  // Why it could not be read, errno; 0: it is shorter than it was.
  std::optional<int> body_unreadable() const { return body_unreadable_; }
  std::chrono::steady_clock::time_point last_activity() const { return last_activity_; }
  // When something of the answer came last; nothing: none of it has come.
  std::optional<std::chrono::steady_clock::time_point> last_heard() const { return last_heard_; }

 private:
  static size_t on_header(char* data, size_t size, size_t count, void* self);
  static size_t on_body(char* data, size_t size, size_t count, void* self);
  static size_t on_read(char* data, size_t size, size_t count, void* self);
  static int on_seek(void* self, curl_off_t offset, int origin);

  void touch() { last_activity_ = std::chrono::steady_clock::now(); }
  void hear() {
    touch();
    last_heard_ = last_activity_;
  }
  bool take_header(std::string_view line);
  bool take_body(std::string_view piece);
  size_t read_body(char* out, size_t room);

  CURL* easy_;
  const Request& request_;
  const WallTime begun_;
  Response response_;
  size_t header_bytes_ = 0;
  int64_t position_ = 0;  // in the request's body
  bool too_large_ = false;
  std::optional<int> body_unreadable_;
  std::chrono::steady_clock::time_point last_activity_;
  std::optional<std::chrono::steady_clock::time_point> last_heard_;
};

// The size of a request's body, wherever it comes from.
int64_t body_size(const Request& request);

}  // namespace paddock::http

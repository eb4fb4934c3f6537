#include "common/http/exchange.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/base/text.h"

namespace paddock::http {
namespace {

constexpr size_t kMaxHeaderBytes = 64 << 10;
constexpr size_t kStop = 0;  // any other count than was given ends the transfer

}  // namespace

int64_t body_size(const Request& request) {
  return request.body_fd >= 0 ? request.body_size : static_cast<int64_t>(request.body.size());
}

void Exchange::attach() {
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &Exchange::on_header);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &Exchange::on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_READFUNCTION, &Exchange::on_read);
  curl_easy_setopt(easy_, CURLOPT_READDATA, this);
  curl_easy_setopt(easy_, CURLOPT_SEEKFUNCTION, &Exchange::on_seek);
  curl_easy_setopt(easy_, CURLOPT_SEEKDATA, this);
}

size_t Exchange::on_header(char* data, size_t size, size_t count, void* self) {
  return static_cast<Exchange*>(self)->take_header({data, size * count}) ? size * count : kStop;
}

size_t Exchange::on_body(char* data, size_t size, size_t count, void* self) {
  const size_t bytes = size * count;
  if (bytes == 0) return 0;
  return static_cast<Exchange*>(self)->take_body({data, bytes}) ? bytes : kStop;
}

size_t Exchange::on_read(char* data, size_t size, size_t count, void* self) {
  return static_cast<Exchange*>(self)->read_body(data, size * count);
}

// A kept connection may turn out to be dead; the body is then sent again from its start.
int Exchange::on_seek(void* self, curl_off_t offset, int origin) {
  auto* exchange = static_cast<Exchange*>(self);
  if (origin != SEEK_SET || offset < 0 || offset > body_size(exchange->request_)) {
    return CURL_SEEKFUNC_FAIL;
  }
  exchange->position_ = offset;
  return CURL_SEEKFUNC_OK;
}

bool Exchange::take_header(std::string_view line) {
  hear();
  header_bytes_ += line.size();
  if (header_bytes_ > kMaxHeaderBytes) {
    too_large_ = true;
    return false;
  }
  if (line.starts_with("HTTP/")) {  // also after an informational answer
    response_.headers.clear();
    return true;
  }
  const size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    response_.headers[ascii_lower(line.substr(0, colon))] = trim(line.substr(colon + 1));
  }
  return true;
}

bool Exchange::take_body(std::string_view piece) {
  hear();
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  if (request_.on_data && status >= 200 && status < 300) {
    response_.stopped = !request_.on_data(piece);
    touch();  // the time that on_data took is not the peer's
    return !response_.stopped;
  }
  too_large_ = piece.size() > request_.most_body - response_.body.size();
  if (!too_large_) response_.body += piece;
  return !too_large_;
}

size_t Exchange::read_body(char* out, size_t room) {
  touch();
  const int64_t left = body_size(request_) - position_;
  const size_t wanted = static_cast<size_t>(std::min<int64_t>(left, static_cast<int64_t>(room)));
  if (wanted == 0) return 0;
  size_t got = wanted;
  if (request_.body_fd < 0) {
    std::memcpy(out, request_.body.data() + position_, wanted);
  } else {
    ssize_t count = 0;
    do {
      count = ::pread(request_.body_fd, out, wanted, request_.body_offset + position_);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {  // also when the file became shorter than it was
      body_unreadable_ = count < 0 ? errno : 0;
      return CURL_READFUNC_ABORT;
    }
    got = static_cast<size_t>(count);
  }
  position_ += static_cast<int64_t>(got);
  if (request_.on_sent) request_.on_sent(position_);
  return got;
}

}  // namespace paddock::http

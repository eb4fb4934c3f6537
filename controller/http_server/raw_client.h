// For this module's tests: a client that sends exactly the bytes it is told to. Single-threaded.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/os/fd.h"

namespace paddock::http_server {

constexpr int kPatienceMs = 300'000;  // no test gets near it unless something is broken

struct Answer {
  int status = 0;    // 0: no answer came
  std::string head;  // status line and headers
  std::string body;  // decoded
  bool complete = false;
  std::string header(const std::string& lower_case_name) const {
    for (const std::string& line : split(head, '\n')) {
      const size_t colon = line.find(':');
      if (colon != std::string::npos && ascii_lower(line.substr(0, colon)) == lower_case_name) {
        return std::string(trim(std::string_view(line).substr(colon + 1)));
      }
    }
    return {};
  }
};

class RawClient {
 public:
  static RawClient tcp(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    RawClient client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    client.connected_ =
        ::connect(client.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    return client;
  }
  static RawClient local(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    RawClient client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    client.connected_ =
        ::connect(client.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    return client;
  }
  explicit RawClient(int fd) : fd_(fd) {
    const timeval patience{kPatienceMs / 1000, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }
  int fd() const { return fd_.get(); }
  bool connected() const { return connected_; }
  void close() { fd_.reset(); }
  void close_sending() { ::shutdown(fd(), SHUT_WR); }
  // False when the server stopped listening to us.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  // Everything until the server closes.
  std::string read_to_end() {
    while (receive()) {
    }
    return std::exchange(buffer_, {});
  }
  bool read_until(std::string_view text) {
    while (buffer_.find(text) == std::string::npos) {
      if (!receive()) return false;
    }
    return true;
  }
  // The next answer; bytes after it stay for the next call.
  Answer answer(bool head_only = false) {
    Answer out;
    if (!read_until("\r\n\r\n")) return out;
    const size_t head_size = buffer_.find("\r\n\r\n") + 4;
    out.head = buffer_.substr(0, head_size);
    buffer_.erase(0, head_size);
    out.status = parse_integer<int>(out.head.substr(9, 3)).value_or(0);
    out.complete = head_only || out.status == 100 || read_body(out);
    return out;
  }
  Answer ask(std::string_view bytes) {
    send(bytes);
    return answer();
  }
  // True once the server closed the connection; what it sent before is dropped.
  bool closed_by_server() {
    read_to_end();
    return ended_;
  }

 private:
  bool receive() {
    char bytes[16 << 10];
    const ssize_t got = ::recv(fd(), bytes, sizeof bytes, 0);
    ended_ = got == 0 || (got < 0 && errno == ECONNRESET);
    if (got <= 0) return false;
    buffer_.append(bytes, static_cast<size_t>(got));
    return true;
  }
  bool take(size_t size, std::string* into) {
    while (buffer_.size() < size) {
      if (!receive()) return false;
    }
    if (into != nullptr) into->append(buffer_, 0, size);
    buffer_.erase(0, size);
    return true;
  }
  bool read_body(Answer& out) {
    if (out.header("transfer-encoding") != "chunked") {
      return take(parse_integer<size_t>(out.header("content-length")).value_or(0), &out.body);
    }
    for (;;) {
      if (!read_until("\r\n")) return false;
      const size_t line = buffer_.find("\r\n");
      const size_t size = std::strtoul(buffer_.c_str(), nullptr, 16);
      buffer_.erase(0, line + 2);
      if (!take(size, &out.body) || !take(2, nullptr)) return false;
      if (size == 0) return true;
    }
  }

  os::Fd fd_;
  bool connected_ = true;
  bool ended_ = false;
  std::string buffer_;
};

inline std::string get(std::string_view path, std::string_view more_headers = "") {
  return cat("GET ", path, " HTTP/1.1\r\nHost: localhost\r\n", more_headers, "\r\n");
}
inline std::string post(std::string_view path, std::string_view body) {
  return cat("POST ", path, " HTTP/1.1\r\nHost: localhost\r\nContent-Length: ", body.size(),
             "\r\n\r\n", body);
}

}  // namespace paddock::http_server

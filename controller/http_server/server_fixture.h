// For this module's tests: a server with a handler that shows what it saw, and a client that sends
// exactly the bytes it is told to.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "controller/http_server/refusal.h"
#include "controller/http_server/server.h"

namespace paddock::api {

constexpr int kPatienceMs = 60'000;  // no test gets near it unless something is broken

// Counts things that happen on server threads; wait_until blocks for them.
class Tally {
 public:
  void add(int n = 1) {
    std::lock_guard lock(mutex_);
    count_ += n;
    changed_.notify_all();
  }
  [[nodiscard]] bool wait_until(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(kPatienceMs),
                             [&] { return count_ >= count; });
  }
  int count() {
    std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

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

class ServerTest : public testing::Test {
 protected:
  static ServerOptions one_listener() {
    ServerOptions options;
    options.listen.push_back({});
    return options;
  }
  void start(ServerOptions options = one_listener()) {
    auto started =
        Server::start(std::move(options), [this](Request& request) { return handle(request); });
    ASSERT_TRUE(started.ok()) << started.error().describe();
    server_ = std::move(*started);
  }
  RawClient client() { return RawClient::tcp(server_->port(0)); }
  Answer ask(std::string_view bytes) { return client().ask(bytes); }
  void expect_alive() { EXPECT_EQ(ask(get("/ping")).body, "pong"); }
  // The request is refused with this status and reason, and the connection closes after it.
  void expect_refused(std::string_view bytes, int status, const std::string& reason) {
    RawClient attacker = client();
    const Answer answer = attacker.ask(bytes);
    EXPECT_EQ(answer.status, status) << bytes.substr(0, 200) << "\n" << answer.body;
    EXPECT_THAT(answer.body, testing::HasSubstr(cat("\"", reason, "\""))) << bytes.substr(0, 200);
    EXPECT_THAT(answer.body, testing::HasSubstr(cat("\"code\":", status)));
    EXPECT_EQ(ascii_lower(answer.header("connection")), "close");
    EXPECT_TRUE(attacker.closed_by_server());
  }

  Response handle(Request& request) {
    handled_.add();
    const std::string what = request.segments.empty() ? "" : request.segments[0];
    if (what == "ping") return text("pong");
    if (what == "seen") return text(describe(request));
    if (what == "echo") return read_body(request);
    if (what == "count") return count_body(request);
    if (what == "ignore") return refusal({Code::kUnauthenticated, "NO_TOKEN", "no token"});
    if (what == "throw") throw std::runtime_error("secret: db password");
    if (what == "throw-int") throw 7;  // NOLINT: handlers must not throw; the server survives it
    if (what == "big") return text(std::string(8 << 20, 'x'));
    if (what == "stream") return stream(request);
    if (what == "hold") return hold(request);
    return refusal({Code::kNotFound, "NOT_FOUND", "no such path"});
  }
  static Response text(std::string body) {
    Response response;
    response.content_type = "text/plain";
    response.body = std::move(body);
    return response;
  }
  static std::string describe(const Request& request) {
    std::string out = cat(request.method, " ", join(request.segments, "|"), "\n");
    for (const auto& [name, value] : request.query) out += cat("?", name, "=", value, "\n");
    for (const auto& [name, value] : request.headers) out += cat(name, ": ", value, "\n");
    return out;
  }
  static Response read_body(Request& request) {
    Result<std::string> body = request.body->read(64 << 10);
    return body.ok() ? text(*body) : refusal(body.error());
  }
  static Response count_body(Request& request) {
    uint64_t total = 0;
    const Status status =
        request.body->stream(size_t{1} << 40, [&](std::string_view piece) -> Status {
          total += piece.size();
          return {};
        });
    return status.ok() ? text(cat(total)) : refusal(status.error());
  }
  Response stream(const Request& request) {
    const std::string kind = request.segments.size() > 1 ? request.segments[1] : "";
    Response response;
    response.content_type = "text/event-stream";
    if (kind == "three")
      response.stream = [](ResponseStream& out) { out.write("a"), out.write(""), out.write("bc"); };
    if (kind == "throws") {
      response.stream = [](ResponseStream& out) {
        out.write("begun");
        throw std::runtime_error("secret");
      };
    }
    if (kind == "sized" || kind == "short") {
      response.headers.push_back({"Content-Length", "10"});
      response.stream = [kind](ResponseStream& out) {
        out.write(kind == "sized" ? "0123456789more" : "0123");
      };
    }
    if (kind == "forever") {
      response.stream = [this](ResponseStream& out) {
        out.write(": begun\n\n");
        streaming_.add();
        while (out.open()) wait_a_moment();
        EXPECT_FALSE(out.write("x"));
        ended_.add();
      };
    }
    if (kind == "flood") {
      response.stream = [this](ResponseStream& out) {
        const std::string piece(64 << 10, 'f');
        while (out.write(piece)) {
        }
        ended_.add();
      };
    }
    return response;
  }
  Response hold(const Request& request) {
    streaming_.add();
    while (request.connected()) wait_a_moment();
    ended_.add();
    return text("released");
  }
  // As a real handler would between two looks: on a condition variable.
  void wait_a_moment() {
    std::unique_lock lock(moment_mutex_);
    moment_.wait_for(lock, std::chrono::milliseconds(20));
  }

  std::mutex moment_mutex_;
  std::condition_variable moment_;
  Tally handled_;
  Tally streaming_;
  Tally ended_;
  std::unique_ptr<Server> server_;
};

}  // namespace paddock::api

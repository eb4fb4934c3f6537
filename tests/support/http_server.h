// A small HTTP/1.1 server for tests of clients: it parses requests and sends whatever bytes the
// test says, broken ones too. One thread; the handler runs on it.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/base/text.h"
#include "common/os/fd.h"

namespace paddock::test {

struct HttpRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;  // lower-case names
  std::string body;
  int connection = 0;  // counts from 1
};

struct HttpAnswer {
  std::string bytes;   // sent as they are
  bool close = false;  // afterwards
  bool reset = false;  // as soon as more arrives
};

// A whole, correct answer.
inline HttpAnswer answer(int status, const std::string& body = {},
                         const std::string& more_headers = {}) {
  return {cat("HTTP/1.1 ", status, " Word\r\nContent-Length: ", body.size(), "\r\n", more_headers,
              "\r\n", body)};
}
// The head of a chunked answer, and one chunk of it. chunk("") ends it.
inline std::string chunked_head(const std::string& content_type = "text/event-stream") {
  return cat("HTTP/1.1 200 OK\r\nContent-Type: ", content_type,
             "\r\nTransfer-Encoding: chunked\r\n\r\n");
}
inline std::string chunk(const std::string& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string size;
  for (size_t n = bytes.size(); n > 0 || size.empty(); n /= 16)
    size.insert(size.begin(), kDigits[n % 16]);
  return cat(size, "\r\n", bytes, "\r\n");
}

class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;

  explicit HttpServer(Handler handler) : handler_(std::move(handler)) {
    listener_ = os::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), plain, size) != 0 || ::listen(listener_.get(), 64) != 0 ||
        ::getsockname(listener_.get(), plain, &size) != 0) {
      std::abort();
    }
    port_ = ntohs(address.sin_port);
    stop_ = std::move(*os::make_pipe());
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    stop_.write.reset();
    thread_.join();
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url() const { return cat("http://127.0.0.1:", port_); }
  std::vector<HttpRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  struct Connection {
    os::Fd fd;
    int number = 0;
    std::string received = {};
    bool closed = false;
    bool resets = false;
  };

  void serve() {
    while (true) {
      std::vector<pollfd> polled = {{stop_.read.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
      for (const Connection& each : connections_) polled.push_back({each.fd.get(), POLLIN, 0});
      ::poll(polled.data(), polled.size(), -1);
      if (polled[0].revents != 0) return;
      size_t index = 2;
      for (Connection& each : connections_) {
        if (polled[index++].revents != 0) receive(each);
      }
      connections_.remove_if([](const Connection& each) { return each.closed; });
      if (polled[1].revents != 0) {
        os::Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (fd.valid()) connections_.push_back({std::move(fd), ++accepted_});
      }
    }
  }

  void receive(Connection& connection) {
    char buffer[65536];
    const ssize_t got = ::recv(connection.fd.get(), buffer, sizeof buffer, 0);
    if (connection.resets) {
      const linger at_once = {1, 0};
      ::setsockopt(connection.fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    if (got <= 0 || connection.resets) {
      connection.closed = true;
      return;
    }
    connection.received.append(buffer, static_cast<size_t>(got));
    while (!connection.closed && answer_one(connection)) continue;
  }

  // False while the request is not whole.
  bool answer_one(Connection& connection) {
    const size_t end = connection.received.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    HttpRequest request;
    request.connection = connection.number;
    const std::vector<std::string> lines = split(connection.received.substr(0, end), '\n');
    const std::vector<std::string> first = split(trim(lines[0]), ' ');
    request.method = first[0];
    request.target = first.size() > 1 ? first[1] : "";
    for (size_t i = 1; i < lines.size(); ++i) {
      const size_t colon = lines[i].find(':');
      request.headers[ascii_lower(lines[i].substr(0, colon))] = trim(lines[i].substr(colon + 1));
    }
    const size_t length = parse_integer<size_t>(request.headers["content-length"]).value_or(0);
    if (connection.received.size() < end + 4 + length) return false;
    request.body = connection.received.substr(end + 4, length);
    connection.received.erase(0, end + 4 + length);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const HttpAnswer reply = handler_(request);
    send_all(connection, reply.bytes);
    connection.closed |= reply.close;
    connection.resets |= reply.reset;
    return true;
  }

  static void send_all(Connection& connection, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(connection.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        connection.closed = true;
        return;
      }
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }

  Handler handler_;
  os::Fd listener_;
  int port_ = 0;
  os::Pipe stop_;
  std::list<Connection> connections_;  // of the thread
  int accepted_ = 0;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;  // guarded by mutex_
  std::thread thread_;
};

// Answers the first request with the first answer, and so on; the last one is repeated.
inline HttpServer::Handler script(std::vector<HttpAnswer> answers) {
  return [answers = std::move(answers), next = size_t{0}](const HttpRequest&) mutable {
    return answers[std::min(next++, answers.size() - 1)];
  };
}

}  // namespace paddock::test

#include "bench/control/wire.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#include <openssl/ssl.h>

#include "bench/control/give_up.h"
#include "common/base/text.h"

namespace paddock::bench {
namespace {

constexpr size_t kAtOnce = 64 << 10;

os::Fd connected(int family, const sockaddr* address, socklen_t size) {
  os::Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  require(fd.valid() && ::connect(fd.get(), address, size) == 0, "no connection to the controller");
  return fd;
}

os::Fd connected(const Address& to) {
  if (!to.socket.empty()) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    require(to.socket.size() < sizeof address.sun_path, "the socket's path is too long");
    std::memcpy(address.sun_path, to.socket.data(), to.socket.size());
    return connected(AF_UNIX, reinterpret_cast<sockaddr*>(&address), sizeof address);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(to.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  os::Fd fd = connected(AF_INET, reinterpret_cast<sockaddr*>(&address), sizeof address);
  const int on = 1;
  (void)::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// One for all connections that trust the same.
std::shared_ptr<SSL_CTX> context_for(const std::string& ca_file) {
  static std::mutex one_at_a_time;
  static std::string known;
  static std::shared_ptr<SSL_CTX> context;
  const std::lock_guard lock(one_at_a_time);
  if (context == nullptr || known != ca_file) {
    context.reset(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
    require(context != nullptr &&
                SSL_CTX_load_verify_locations(context.get(), ca_file.c_str(), nullptr) == 1,
            "the certificate authority cannot be read");
    std::signal(SIGPIPE, SIG_IGN);  // a write to a closed connection is an error like any other
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_mode(context.get(), SSL_MODE_AUTO_RETRY | SSL_MODE_RELEASE_BUFFERS);
    known = ca_file;
  }
  return context;
}

// The value of a header of an answer, or nothing. Names are sent as we know them.
std::string_view header_of(std::string_view head, std::string_view name) {
  for (size_t at = 0; (at = head.find("\r\n", at)) != std::string_view::npos;) {
    at += 2;
    std::string_view line = head.substr(at, head.find("\r\n", at) - at);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (ascii_lower(line.substr(0, name.size())) == name) return trim(line.substr(name.size() + 1));
  }
  return {};
}

// The content of a chunked body that came whole.
std::string without_chunks(std::string_view body) {
  std::string out;
  while (true) {
    size_t size = 0;
    const size_t line = body.find("\r\n");
    require(line != std::string_view::npos &&
                std::from_chars(body.data(), body.data() + line, size, 16).ec == std::errc(),
            "an answer has no chunks");
    if (size == 0) return out;
    require(line + 2 + size <= body.size(), "a chunk is cut off");
    out += body.substr(line + 2, size);
    body.remove_prefix(line + 2 + size + 2);
  }
}

}  // namespace

std::string request_text(const std::string& method, const std::string& target,
                         const std::string& token, const std::string& body,
                         const std::string& headers) {
  std::string text = cat(method, " ", target, " HTTP/1.1\r\nHost: localhost\r\n", headers);
  if (!token.empty()) text += cat("Authorization: Bearer ", token, "\r\n");
  if (method != "GET")
    text += cat("Content-Type: application/json\r\nContent-Length: ", body.size(), "\r\n");
  return cat(text, "\r\n", body);
}

Wire::Wire(const Address& address) : fd_(connected(address)), token_(address.token) {
  if (address.socket.empty()) start_tls(address);
}

Wire::Wire(Wire&& other) noexcept
    : fd_(std::move(other.fd_)),
      token_(std::move(other.token_)),
      buffer_(std::move(other.buffer_)),
      closed_(other.closed_),
      context_(std::move(other.context_)),
      tls_(std::exchange(other.tls_, nullptr)) {}

Wire::~Wire() { SSL_free(tls_); }

void Wire::start_tls(const Address& address) {
  context_ = context_for(address.ca_file);
  tls_ = SSL_new(context_.get());
  require(tls_ != nullptr && SSL_set1_host(tls_, "localhost") == 1 &&
              SSL_set_fd(tls_, fd_.get()) == 1 && SSL_connect(tls_) == 1,
          "no TLS with the controller");
}

void Wire::send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = 0;
    if (tls_ != nullptr) {
      sent = SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()));
    } else {
      sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    require(sent > 0, "the controller does not listen any more");
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

bool Wire::fill() {
  const size_t have = buffer_.size();
  buffer_.resize(have + kAtOnce);
  ssize_t got = 0;
  if (tls_ != nullptr) {
    got = SSL_read(tls_, buffer_.data() + have, static_cast<int>(kAtOnce));
    const bool wait = got <= 0 && SSL_get_error(tls_, static_cast<int>(got)) == SSL_ERROR_WANT_READ;
    closed_ = got <= 0 && !wait;
  } else {
    got = ::recv(fd_.get(), buffer_.data() + have, kAtOnce, 0);
    closed_ = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  }
  buffer_.resize(have + static_cast<size_t>(got > 0 ? got : 0));
  return got > 0;
}

Reply Wire::receive() {
  size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
    require(fill(), "the controller closed a connection");
  end += 4;
  const std::string head = buffer_.substr(0, end);
  Reply reply;
  reply.status = static_cast<int>(parse_integer<int64_t>(head.substr(9, 3)).value_or(0));
  if (header_of(head, "transfer-encoding") == "chunked") {
    while (!buffer_.ends_with("\r\n0\r\n\r\n")) require(fill(), "an answer broke off");
    reply.body = without_chunks(std::string_view(buffer_).substr(end));
    buffer_.clear();
    return reply;
  }
  const size_t size = parse_integer<size_t>(header_of(head, "content-length")).value_or(0);
  while (buffer_.size() < end + size) require(fill(), "an answer broke off");
  reply.body = buffer_.substr(end, size);
  buffer_.erase(0, end + size);
  return reply;
}

Reply Wire::call(const std::string& method, const std::string& target, const std::string& body) {
  send(request_text(method, target, token_, body));
  return receive();
}

std::string Wire::read_some() {
  if (buffer_.empty()) fill();
  return std::exchange(buffer_, {});
}

void Wire::stop_blocking() {
  const int flags = ::fcntl(fd_.get(), F_GETFL);
  require(flags >= 0 && ::fcntl(fd_.get(), F_SETFL, flags | O_NONBLOCK) == 0, "fcntl");
}

}  // namespace paddock::bench

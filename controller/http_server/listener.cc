#include "controller/http_server/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/freed.h"
#include "common/base/text.h"
#include "controller/http_server/unix_socket.h"

namespace paddock::http_server {
namespace {

constexpr int kBacklog = 1024;
// A peer that is gone without a word is missed after a minute, also where nothing is sent to it.
constexpr int kAskAfterS = 30;
constexpr int kAskEveryS = 10;
constexpr int kAskTimes = 3;

using Addresses = std::unique_ptr<addrinfo, Freed<&::freeaddrinfo>>;

Result<Addresses> resolve(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const bool valid = !host.empty() && port >= 0 && port <= 65535 &&
                     ::getaddrinfo(host.c_str(), cat(port).c_str(), &hints, &list) == 0;
  if (!valid)
    return invalid_argument("ADDRESS_INVALID",
                            cat("'", host, "' port ", port, " is not an address to listen on"));
  return Addresses(list);
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == 127;
  }
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

// The address and port that a socket is bound to; an IPv4 address inside IPv6 in its IPv4 form.
std::pair<std::string, int> local_name(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  char text[INET6_ADDRSTRLEN] = {};
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return {text, ntohs(v4.sin_port)};
  }
  if (storage.ss_family != AF_INET6) return {};
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    ::inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text, sizeof text);
  } else {
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  }
  return {text, ntohs(v6.sin6_port)};
}

Error cannot_listen(const ListenAddress& address, int errno_value) {
  const std::string where = cat(address.host, " port ", address.port);
  if (errno_value == EADDRINUSE) {
    return {Code::kFailedPrecondition,
            "PORT_IN_USE",
            cat("another process listens on ", where),
            {{"port", "choose another port, or 0 for any free one"}}};
  }
  Error error = system_error(cat("listening on ", where), errno_value);
  error.reason = "ADDRESS_UNAVAILABLE";
  return error;
}

// SO_REUSEADDR only: a port in TIME_WAIT is free, a port that is listened on is not.
Result<os::Fd> listen_on(const addrinfo& info, const ListenAddress& address) {
  os::Fd fd(::socket(info.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (!fd.valid() || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(fd.get(), info.ai_addr, info.ai_addrlen) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return cannot_listen(address, errno);
  }
  return fd;
}

void set_number(const os::Fd& socket, int level, int option, int value) {
  (void)::setsockopt(socket.get(), level, option, &value, sizeof value);
}

// Uses keep-alive probes and not TCP_USER_TIMEOUT, which would also end the connection of a peer
// that is there and only reads late.
void miss_silent_peer(const os::Fd& connection) {
  set_number(connection, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(TCP_KEEPIDLE)
  set_number(connection, IPPROTO_TCP, TCP_KEEPIDLE, kAskAfterS);
#else
  set_number(connection, IPPROTO_TCP, TCP_KEEPALIVE, kAskAfterS);  // of Darwin
#endif
  set_number(connection, IPPROTO_TCP, TCP_KEEPINTVL, kAskEveryS);
  set_number(connection, IPPROTO_TCP, TCP_KEEPCNT, kAskTimes);
}

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(const ListenAddress& address) {
  std::unique_ptr<Listener> listener(new Listener());
  if (address.tls) {
    ASSIGN_OR_RETURN(listener->tls_, TlsContext::make(*address.tls));
  }
  TRY(address.unix_socket.empty() ? listener->open_tcp(address)
                                  : listener->open_unix(address.unix_socket));
  return listener;
}

Result<std::unique_ptr<Listener>> Listener::take_address(const ListenAddress& address) {
  std::unique_ptr<Listener> listener(new Listener());
  TRY(listener->open_tcp(address));
  return listener;
}

Status Listener::open_tcp(const ListenAddress& address) {
  ASSIGN_OR_RETURN(const Addresses list, resolve(address.host, address.port));
  for (const addrinfo* info = list.get(); info != nullptr && !address.tls; info = info->ai_next) {
    if (!is_loopback(info->ai_addr)) {
      return invalid_argument(
          "PLAIN_HTTP_NOT_LOOPBACK",
          cat("'", address.host, "' can be reached from outside: plain HTTP is for loopback only"),
          "tls");
    }
  }
  Result<os::Fd> fd = Error{};
  for (const addrinfo* info = list.get(); info != nullptr && !fd.ok(); info = info->ai_next) {
    fd = listen_on(*info, address);
    if (!fd.ok() && fd.error().reason == "PORT_IN_USE") break;
  }
  ASSIGN_OR_RETURN(fd_, std::move(fd));
  host_ = ascii_lower(address.host);
  port_ = local_name(fd_.get()).second;
  return {};
}

Status Listener::open_unix(const std::string& path) {
  ASSIGN_OR_RETURN(UnixListener opened, listen_on_unix_socket(path, kBacklog));
  fd_ = std::move(opened.fd);
  device_ = opened.device;
  inode_ = opened.inode;
  path_ = path;
  return {};
}

Listener::~Listener() {
  struct stat now {};
  if (is_unix() && ::lstat(path_.c_str(), &now) == 0 && now.st_dev == device_ &&
      now.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
}

os::Fd Listener::accept() const {
  os::Fd connection(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (connection.valid() && !is_unix()) {
    set_number(connection, IPPROTO_TCP, TCP_NODELAY, 1);
    miss_silent_peer(connection);
  }
  return connection;
}

OwnNames Listener::names_for(int connection, const std::vector<std::string>& allowed_hosts) const {
  OwnNames names;
  names.any = is_unix();
  if (names.any) return names;
  names.tls = tls_ != nullptr;
  names.hosts = allowed_hosts;
  names.hosts.push_back(host_);
  names.hosts.push_back(local_name(connection).first);
  return names;
}

Result<std::unique_ptr<Transport>> Listener::transport_for(os::Fd connection,
                                                           const StopSignal& stop,
                                                           int write_timeout_ms) const {
  if (tls_ != nullptr) return tls_->accept(std::move(connection), stop, write_timeout_ms);
  return make_plain_transport(std::move(connection), stop, write_timeout_ms);
}

}  // namespace paddock::http_server

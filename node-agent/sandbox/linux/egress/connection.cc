#include "node-agent/sandbox/linux/egress/connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "common/base/text.h"
#include "common/contracts/domain_rule.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMostAddressesTried = 4;

std::string http_answer(const std::string& body) {
  return cat("HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain; charset=utf-8\r\n",
             "Content-Length: ", body.size(), "\r\nConnection: close\r\n\r\n", body);
}

void without_delay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Connection::Connection(const ConnectionTools& tools, os::Fd client, std::string name, uint16_t port,
                       int window)
    : tools_(tools),
      client_(std::move(client)),
      name_(std::move(name)),
      port_(port),
      window_(window) {
  without_delay(client_.get());
}

Connection::~Connection() { close(); }

void Connection::start() {
  const bool greets = port_ == contracts::kHttpsPort || port_ == contracts::kHttpPort;
  if (!greets) return resolve();
  deadline_ = tools_.clock.mono() + kGreetingTime;
  token_ = tools_.loop.add(client_.get(), EPOLLIN, [this] { read_greeting(); });
}

void Connection::lead_to(std::vector<IpAddress> addresses, std::string first) {
  addresses_ = std::move(addresses);
  first_ = std::move(first);
  try_next_address();
}

void Connection::read_greeting() {
  std::array<char, 4096> bytes;
  const ssize_t n = recv(client_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return close();  // it said nothing that could be judged
  first_.append(bytes.data(), static_cast<size_t>(n));
  judge(port_ == contracts::kHttpsPort ? read_client_hello(first_) : read_http_host(first_));
}

void Connection::judge(const FirstBytes& read) {
  const bool tls = port_ == contracts::kHttpsPort;
  switch (read.state) {
    case FirstBytes::State::kNeedMore:
      if (first_.size() < 2 * kMostFirstBytes) return;
      return refuse(cat(name_, ":", port_), "the connection's first bytes are too long", "");
    case FirstBytes::State::kBad:
      return refuse(cat(name_, ":", port_), read.why,
                    tls ? "port 443 takes TLS with the server's name; allow another port by "
                          "name:port for other protocols"
                        : "port 80 takes HTTP/1 with one Host; allow another port by name:port for "
                          "other protocols");
    case FirstBytes::State::kName:
      break;
  }
  if (read.name == name_) {
    http_ = !tls;
    return resolve();
  }
  refuse(cat(read.name, ":", port_, " by way of ", name_),
         cat(tls ? "the TLS server name" : "the HTTP Host", " must be the name connected to"),
         cat("add ", read.name, " to network.allowDomains and connect to it by its own name"));
}

void Connection::resolve() {
  if (token_ != 0) tools_.loop.remove(token_);
  token_ = 0;
  deadline_.reset();  // the resolver has its own
  tools_.resolver.resolve(name_, [self = weak_from_this()](const Resolved& resolved) {
    if (const auto alive = self.lock()) alive->connect_to(resolved);
  });
}

void Connection::connect_to(const Resolved& resolved) {
  if (finished_) return;
  if (resolved.addresses.empty() && !resolved.refused.empty()) {
    return refuse(
        cat(name_, ":", port_, " at ", to_text(resolved.refused[0])),
        "the name leads to an address that is not public",
        "the operator of this node may allow the address's range: network.allowRanges of its "
        "configuration, or PADDOCK_NODE_AGENT_NETWORK_ALLOW_RANGES at the start of an instance of "
        "`paddock up`");
  }
  if (resolved.why) return fail(why_unresolved(*resolved.why));
  addresses_ = resolved.addresses;
  if (addresses_.size() > kMostAddressesTried) addresses_.resize(kMostAddressesTried);
  try_next_address();
}

void Connection::try_next_address() {
  while (next_address_ < addresses_.size()) {
    const IpAddress& address = addresses_[next_address_++];
    if (token_ != 0) tools_.loop.remove(token_);
    token_ = 0;
    server_.reset(
        socket(address.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!server_.valid()) continue;
    without_delay(server_.get());
    for (const int buffer : {SO_RCVBUF, SO_SNDBUF})
      setsockopt(server_.get(), SOL_SOCKET, buffer, &window_, sizeof window_);
    const SocketName to = socket_name({address, port_});
    if (connect(server_.get(), to.get(), to.size) != 0 && errno != EINPROGRESS) {
      note_failure(errno);
      continue;
    }
    deadline_ = tools_.clock.mono() + kConnectTime;
    token_ = tools_.loop.add(server_.get(), EPOLLOUT, [this] { server_ready(); });
    return;
  }
  // None of the addresses took the connection: the server may have moved.
  tools_.resolver.forget(name_);
  fail({"SERVER_UNREACHABLE",
        last_failure_.empty() ? "the node could not connect to it" : last_failure_});
}

// Notes why the address that was tried last failed.
void Connection::note_failure(int error) {
  const std::string at = to_text(addresses_[next_address_ - 1], port_);
  last_failure_ = cat("the node could not connect to ", at, ": ", strerror(error));
}

void Connection::server_ready() {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(server_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) {
    note_failure(error);
    return try_next_address();
  }
  carry();
}

void Connection::carry() {
  tools_.loop.remove(token_);
  token_ = 0;
  deadline_.reset();
  Records& records = tools_.records;
  const size_t flow = records.flow(name_, port_, to_text(addresses_[next_address_ - 1]));
  records.connected(flow);
  relay_ = std::make_unique<Relay>(
      tools_.loop, std::move(client_), std::move(server_), std::move(first_),
      [&records, flow](int64_t sent, int64_t received) { records.moved(flow, sent, received); });
}

void Connection::refuse(const std::string& target, std::string rule, std::string remedy) {
  tools_.records.refused_connection(target, std::move(rule), std::move(remedy));
  close();
}

void Connection::fail(const Problem& problem) {
  tools_.records.failed(tools_.records.flow(name_, port_, ""), problem);
  if (http_) return answer(problem.text);
  close();
}

// Bytes that are still on their way must be read, or the sender never reads the answer.
void Connection::answer(const std::string& problem) {
  const std::string text =
      http_answer(cat("The sandbox's policy allows ", name_, ":", port_, ", but ", problem, ".\n"));
  const ssize_t sent = send(client_.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(text.size())) return close();
  shutdown(client_.get(), SHUT_WR);
  if (token_ != 0) tools_.loop.remove(token_);
  server_.reset();
  deadline_ = tools_.clock.mono() + kFarewellTime;
  token_ = tools_.loop.add(client_.get(), EPOLLIN, [this] { await_farewell(); });
}

void Connection::await_farewell() {
  std::array<char, 16 << 10> bytes;
  const ssize_t n = recv(client_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return;
  if (token_ != 0) tools_.loop.remove(token_);
  token_ = 0;
  client_.reset();  // an end and no reset
  close();
}

void Connection::expire() {
  if (finished_ || !deadline_ || tools_.clock.mono() < *deadline_) return;
  if (server_.valid()) {
    note_failure(ETIMEDOUT);
    return try_next_address();
  }
  close();  // it connected and said nothing
}

void Connection::close() {
  if (token_ != 0) tools_.loop.remove(token_);
  token_ = 0;
  deadline_.reset();
  reset_connection(client_);
  server_.reset();
  finished_ = true;
}

}  // namespace paddock::sandbox

#include "node-agent/sandbox/linux/egress/lookup.h"

#include <errno.h>
#include <sys/socket.h>

#include <array>

namespace paddock::sandbox {
namespace {

constexpr size_t kMostTcpAnswer = 16 << 10;

const Endpoint& server_of(const std::vector<Endpoint>& servers, size_t tries) {
  return servers[(tries - 1) % servers.size()];
}

}  // namespace

Lookup::Lookup(const Tools& tools, std::string name, DnsType type)
    : tools_(tools), name_(std::move(name)), type_(type) {
  start_next();
}

Lookup::~Lookup() { close(); }

void Lookup::close() {
  if (token_ != 0) tools_.loop.remove(token_);
  token_ = 0;
  fd_.reset();
}

bool Lookup::open(int type) {
  close();
  id_ = static_cast<uint16_t>(tools_.random.next());
  deadline_ = tools_.clock.mono() + kPatience;
  const Endpoint& server = server_of(tools_.servers, tries_);
  fd_.reset(socket(server.address.v6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd_.valid()) return false;
  const SocketName name = socket_name(server);
  return connect(fd_.get(), name.get(), name.size) == 0 || errno == EINPROGRESS;
}

void Lookup::start_next() {
  while (tries_ < tools_.servers.size() * kRounds) {
    ++tries_;
    if (!open(SOCK_DGRAM)) continue;
    const std::string query = write_dns_query(id_, name_, type_);
    if (send(fd_.get(), query.data(), query.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(query.size())) {
      continue;
    }
    token_ = tools_.loop.add(fd_.get(), EPOLLIN, [this] { read_datagrams(); });
    return;
  }
  close();
  finished_ = true;  // without an answer
}

void Lookup::read_datagrams() {
  std::array<char, kMostDnsBytes> bytes;
  for (int i = 0; i < 16; ++i) {
    const ssize_t n = recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) return start_next();  // nobody listens there
    auto answer = read_dns_answer({bytes.data(), static_cast<size_t>(n)}, id_, name_, type_);
    if (!answer) continue;  // not for us: the true one may follow
    if (answer->truncated) return start_tcp();
    return take(std::move(*answer));
  }
}

void Lookup::start_tcp() {
  if (!open(SOCK_STREAM)) return start_next();
  const std::string query = write_dns_query(id_, name_, type_);
  outgoing_ = {static_cast<char>(query.size() >> 8), static_cast<char>(query.size())};
  outgoing_ += query;
  incoming_.clear();
  token_ = tools_.loop.add(fd_.get(), EPOLLOUT, [this] { exchange_tcp(); });
}

void Lookup::exchange_tcp() {
  if (!outgoing_.empty()) {
    const ssize_t n = send(fd_.get(), outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) return start_next();
    outgoing_.erase(0, static_cast<size_t>(n));
    if (outgoing_.empty()) tools_.loop.want(token_, EPOLLIN);
    return;
  }
  std::array<char, 4096> bytes;
  const ssize_t n = recv(fd_.get(), bytes.data(), bytes.size(), 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0 || incoming_.size() > kMostTcpAnswer) return start_next();
  incoming_.append(bytes.data(), static_cast<size_t>(n));
  if (incoming_.size() < 2) return;
  const size_t length =
      size_t{static_cast<uint8_t>(incoming_[0])} << 8 | static_cast<uint8_t>(incoming_[1]);
  if (incoming_.size() < 2 + length) return;
  auto answer = read_dns_answer(std::string_view(incoming_).substr(2, length), id_, name_, type_);
  if (!answer || answer->truncated) return start_next();
  take(std::move(*answer));
}

// A server that cannot help is not believed; one that says that there is no such name is.
void Lookup::take(DnsAnswer answer) {
  const bool settled = answer.code == DnsCode::kNone || answer.code == DnsCode::kNoName;
  if (!settled) {
    heard_.failure = answer.code;
    return start_next();
  }
  heard_.answer = std::move(answer);
  close();
  finished_ = true;
}

void Lookup::expire() {
  if (!finished_ && tools_.clock.mono() >= deadline_) start_next();
}

}  // namespace paddock::sandbox

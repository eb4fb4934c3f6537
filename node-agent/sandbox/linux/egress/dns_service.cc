#include "node-agent/sandbox/linux/egress/dns_service.h"

#include <errno.h>
#include <sys/socket.h>

#include <array>
#include <optional>

#include "node-agent/sandbox/egress/dns_message.h"

namespace paddock::sandbox {
namespace {

constexpr int kAtOnce = 32;  // then the others have their turn

}  // namespace

DnsService::DnsService(EventLoop& loop, DnsDesk& desk, const Clock& clock, os::Fd udp, os::Fd tcp)
    : loop_(loop), desk_(desk), clock_(clock), udp_(std::move(udp)), tcp_(std::move(tcp)) {
  udp_token_ = loop_.add(udp_.get(), EPOLLIN, [this] { answer_datagrams(); });
  tcp_token_ = loop_.add(tcp_.get(), EPOLLIN, [this] { accept_streams(); });
}

DnsService::~DnsService() {
  loop_.remove(udp_token_);
  loop_.remove(tcp_token_);
  for (Stream& stream : streams_) loop_.remove(stream.token);
}

void DnsService::answer_datagrams() {
  std::array<char, kMostDnsBytes + 1> bytes;
  for (int i = 0; i < kAtOnce; ++i) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    const ssize_t n = recvfrom(udp_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT,
                               reinterpret_cast<sockaddr*>(&from), &size);
    if (n < 0) return;
    const auto reply = desk_.answer({bytes.data(), static_cast<size_t>(n)});
    if (!reply) continue;
    (void)sendto(udp_.get(), reply->data(), reply->size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                 reinterpret_cast<sockaddr*>(&from), size);
  }
}

void DnsService::accept_streams() {
  os::Fd fd(accept4(tcp_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.valid() || streams_.size() >= kMostStreams) return;
  Stream& stream = streams_.emplace_back();
  stream.fd = std::move(fd);
  stream.deadline = clock_.mono() + kStreamTime;
  stream.token = loop_.add(stream.fd.get(), EPOLLIN, [this, &stream] { read_stream(stream); });
}

// One question after the other; a client that does not take its replies is left.
void DnsService::read_stream(Stream& stream) {
  std::array<char, 1024> bytes;
  const ssize_t n = recv(stream.fd.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    stream.done = true;
    return;
  }
  stream.incoming.append(bytes.data(), static_cast<size_t>(n));
  while (!stream.done && stream.incoming.size() >= 2) {
    const size_t length = size_t{static_cast<uint8_t>(stream.incoming[0])} << 8 |
                          static_cast<uint8_t>(stream.incoming[1]);
    if (length > kMostDnsBytes) stream.done = true;
    if (stream.done || stream.incoming.size() < 2 + length) return;
    const auto reply = desk_.answer(std::string_view(stream.incoming).substr(2, length));
    stream.incoming.erase(0, 2 + length);
    if (!reply) continue;
    std::string message = {static_cast<char>(reply->size() >> 8), static_cast<char>(reply->size())};
    message += *reply;
    stream.done = send(stream.fd.get(), message.data(), message.size(),
                       MSG_DONTWAIT | MSG_NOSIGNAL) != static_cast<ssize_t>(message.size());
  }
}

void DnsService::sweep() {
  for (auto at = streams_.begin(); at != streams_.end();) {
    if (!at->done && clock_.mono() < at->deadline) {
      ++at;
      continue;
    }
    loop_.remove(at->token);
    at = streams_.erase(at);
  }
}

}  // namespace paddock::sandbox

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

DnsService::DnsService(const Tools& tools, os::Fd udp, os::Fd tcp)
    : tools_(tools), udp_(std::move(udp)), tcp_(std::move(tcp)) {
  udp_token_ = tools_.loop.add(udp_.get(), EPOLLIN, [this] { answer_datagrams(); });
  tcp_token_ = tools_.loop.add(tcp_.get(), EPOLLIN, [this] { accept_streams(); });
}

DnsService::~DnsService() {
  tools_.loop.remove(udp_token_);
  tools_.loop.remove(tcp_token_);
  for (const auto& stream : streams_) tools_.loop.remove(stream->token);
}

void DnsService::answer_datagrams() {
  std::array<char, kMostDnsBytes + 1> bytes;
  for (int i = 0; i < kAtOnce; ++i) {
    Asker asker{.size = sizeof asker.from};
    const ssize_t n = recvfrom(udp_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT,
                               reinterpret_cast<sockaddr*>(&asker.from), &asker.size);
    if (n < 0) return;
    take_datagram({bytes.data(), static_cast<size_t>(n)}, asker);
  }
}

void DnsService::take_datagram(std::string_view message, const Asker& asker) {
  DnsResponder::Turn turn = tools_.responder.take(message);
  if (const auto* reply = std::get_if<std::string>(&turn)) return send_datagram(*reply, asker);
  auto* question = std::get_if<OpenQuestion>(&turn);
  if (question == nullptr || waiting_ >= kMostWaiting) return;
  ++waiting_;
  const std::string name = question->name;
  tools_.resolver.resolve(name,
                          [this, asker, question = std::move(*question)](const Resolved& resolved) {
                            --waiting_;
                            send_datagram(tools_.responder.settle(question, resolved), asker);
                          });
}

void DnsService::send_datagram(const std::string& reply, const Asker& asker) {
  (void)sendto(udp_.get(), reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&asker.from), asker.size);
}

void DnsService::accept_streams() {
  os::Fd fd(accept4(tcp_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.valid() || streams_.size() >= kMostStreams) return;
  const auto stream = streams_.emplace_back(std::make_shared<Stream>());
  stream->fd = std::move(fd);
  stream->deadline = tools_.clock.mono() + kStreamTime;
  stream->token = tools_.loop.add(stream->fd.get(), EPOLLIN, [this, known = std::weak_ptr(stream)] {
    if (const auto alive = known.lock()) read_stream(alive);
  });
}

// One question after the other; a client that does not take its replies is left, and one that has
// asked all still gets them.
void DnsService::read_stream(const std::shared_ptr<Stream>& stream) {
  std::array<char, 1024> bytes;
  const ssize_t n = recv(stream->fd.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    stream->ended = true;
    stream->done = n < 0;
    return tools_.loop.want(stream->token, 0);
  }
  std::string& incoming = stream->incoming;
  incoming.append(bytes.data(), static_cast<size_t>(n));
  while (!stream->done && incoming.size() >= 2) {
    const size_t length =
        size_t{static_cast<uint8_t>(incoming[0])} << 8 | static_cast<uint8_t>(incoming[1]);
    if (length > kMostDnsBytes) stream->done = true;
    if (stream->done || incoming.size() < 2 + length) return;
    take_message(std::string_view(incoming).substr(2, length), stream);
    incoming.erase(0, 2 + length);
  }
}

void DnsService::take_message(std::string_view message, const std::shared_ptr<Stream>& stream) {
  DnsResponder::Turn turn = tools_.responder.take(message);
  if (const auto* reply = std::get_if<std::string>(&turn)) return send_message(*reply, *stream);
  auto* question = std::get_if<OpenQuestion>(&turn);
  if (question == nullptr) return;
  if (waiting_ >= kMostWaiting) {
    stream->done = true;
    return;
  }
  ++waiting_;
  ++stream->waiting;
  const std::string name = question->name;
  tools_.resolver.resolve(
      name, [this, stream, question = std::move(*question)](const Resolved& resolved) {
        --waiting_;
        --stream->waiting;
        send_message(tools_.responder.settle(question, resolved), *stream);
      });
}

void DnsService::send_message(const std::string& reply, Stream& stream) {
  if (stream.done) return;
  std::string message = {static_cast<char>(reply.size() >> 8), static_cast<char>(reply.size())};
  message += reply;
  stream.done = send(stream.fd.get(), message.data(), message.size(),
                     MSG_DONTWAIT | MSG_NOSIGNAL) != static_cast<ssize_t>(message.size());
}

bool DnsService::is_over(const Stream& stream) const {
  if (stream.done) return true;
  if (stream.waiting > 0) return false;
  return stream.ended || tools_.clock.mono() >= stream.deadline;
}

void DnsService::sweep() {
  for (auto at = streams_.begin(); at != streams_.end();) {
    Stream& stream = **at;
    if (!is_over(stream)) {
      ++at;
      continue;
    }
    tools_.loop.remove(stream.token);
    stream.done = true;  // for answers that are still to come
    at = streams_.erase(at);
  }
}

}  // namespace paddock::sandbox

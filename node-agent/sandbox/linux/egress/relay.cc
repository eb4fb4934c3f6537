#include "node-agent/sandbox/linux/egress/relay.h"

#include <errno.h>
#include <sys/socket.h>

#include <array>

namespace paddock::sandbox {
namespace {

constexpr int kPiecesAtOnce = 8;  // then the others have their turn

}  // namespace

Relay::Relay(EventLoop& loop, os::Fd client, os::Fd server, std::string first, Moved moved)
    : loop_(loop),
      client_(std::move(client)),
      server_(std::move(server)),
      moved_(std::move(moved)) {
  up_.waiting = std::move(first);
  client_token_ = loop_.add(client_.get(), 0, [this] { step(); });
  server_token_ = loop_.add(server_.get(), 0, [this] { step(); });
  want();
}

Relay::~Relay() { finish(false); }

// False when the connection is broken.
bool Relay::pump(int from, int to, Way& way) {
  std::array<char, kPiece> piece;
  for (int i = 0; i < kPiecesAtOnce; ++i) {
    if (way.waiting.empty()) {
      if (way.ended) break;
      const ssize_t n = recv(from, piece.data(), piece.size(), MSG_DONTWAIT);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (n < 0) break;
      way.ended = n == 0;
      way.waiting.assign(piece.data(), static_cast<size_t>(n));
    }
    const ssize_t n = send(to, way.waiting.data(), way.waiting.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (n < 0) break;
    way.bytes += n;
    way.waiting.erase(0, static_cast<size_t>(n));
  }
  if (way.waiting.empty()) way.waiting = std::string();  // an idle connection holds no memory
  if (way.ended && way.waiting.empty() && !way.closed) {
    way.closed = true;
    shutdown(to, SHUT_WR);
  }
  return true;
}

void Relay::step() {
  if (finished_) return;
  const int64_t sent = up_.bytes;
  const int64_t received = down_.bytes;
  const bool whole =
      pump(client_.get(), server_.get(), up_) && pump(server_.get(), client_.get(), down_);
  moved_(up_.bytes - sent, down_.bytes - received);
  if (!whole) return finish(true);
  if (up_.closed && down_.closed) return finish(false);
  want();
}

void Relay::want() {
  const auto events = [](const Way& from, const Way& to) {
    return (from.waiting.empty() && !from.ended ? uint32_t{EPOLLIN} : 0u) |
           (to.waiting.empty() ? 0u : uint32_t{EPOLLOUT});
  };
  loop_.want(client_token_, events(up_, down_));
  loop_.want(server_token_, events(down_, up_));
}

void Relay::finish(bool broken) {
  if (finished_) return;
  finished_ = true;
  loop_.remove(client_token_);
  loop_.remove(server_token_);
  if (broken) reset_connection(client_);
  client_.reset();
  server_.reset();
}

void reset_connection(os::Fd& fd) {
  if (!fd.valid()) return;
  const linger hard{1, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  fd.reset();
}

}  // namespace paddock::sandbox

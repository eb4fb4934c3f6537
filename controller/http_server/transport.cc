#include "controller/http_server/transport.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/contracts/tool_gateway.h"

namespace paddock::http_server {
namespace {

// How much of a refused body is still read, so that the client can see the answer.
constexpr size_t kLingerBytes = size_t{256} << 20;
// A client that sends nothing for this long has read the answer, or never will. The time is long
// because a busy machine may stop a client for many seconds between two pieces.
constexpr int kSilenceMs = 30'000;
constexpr int kHurriedSilenceMs = 1'000;  // so often it is asked whether there is a hurry, too
constexpr int kHurriedMs = 10'000;        // in all
constexpr int kLastAnswerMs = 500;        // for an answer in flight when the server stops

class PlainTransport final : public Transport {
 public:
  using Transport::Transport;

 private:
  static Attempt attempt_of(ssize_t result, Attempt wanting, size_t& count) {
    if (result > 0) {
      count = static_cast<size_t>(result);
      return Attempt::kDone;
    }
    if (result == 0) return Attempt::kClosed;
    return errno == EAGAIN || errno == EINTR ? wanting : Attempt::kClosed;
  }
  Attempt attempt_handshake() override { return Attempt::kDone; }
  Attempt attempt_read(char* into, size_t size, size_t& got) override {
    return attempt_of(::recv(fd(), into, size, MSG_DONTWAIT), Attempt::kWantsRead, got);
  }
  Attempt attempt_write(std::string_view bytes, size_t& written) override {
    return attempt_of(::send(fd(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL),
                      Attempt::kWantsWrite, written);
  }
  void say_goodbye() override {}
  bool has_buffered() const override { return false; }
};

int poll_retrying(pollfd* fds, nfds_t count, Deadline deadline) {
  int ready = 0;
  do {
    ready = ::poll(fds, count, deadline.left_ms());
  } while (ready < 0 && errno == EINTR);
  return ready;
}

// Makes poll() report the socket as readable only once `count` bytes are there; fewer do not count.
void wait_for_bytes(int fd, int count) {
  (void)::setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &count, sizeof count);
}

}  // namespace

IoState Transport::wait_for(Attempt attempt, Deadline deadline) const {
  const short events = attempt == Attempt::kWantsWrite ? POLLOUT : POLLIN;
  std::array<pollfd, 2> fds{pollfd{fd_.get(), events, 0}, pollfd{stop_.fd(), POLLIN, 0}};
  if (poll_retrying(fds.data(), fds.size(), deadline) <= 0) return IoState::kTooSlow;
  return fds[1].revents != 0 ? IoState::kStopping : IoState::kOk;
}

// An answer in flight may still go out when the server stops, but only for a moment.
IoState Transport::wait_while_writing(Attempt attempt, Deadline& deadline) {
  if (!stop_.raised()) {
    const IoState state = wait_for(attempt, deadline);
    if (state != IoState::kStopping) return state;
    deadline = deadline.earlier_of(Deadline::in_ms(kLastAnswerMs));
  }
  pollfd only{fd_.get(), static_cast<short>(attempt == Attempt::kWantsWrite ? POLLOUT : POLLIN), 0};
  return poll_retrying(&only, 1, deadline) > 0 ? IoState::kOk : IoState::kTooSlow;
}

// Peeks at the first bytes until the gateway's header is whole, and consumes nothing else: the
// first bytes of any other client stay where they are.
IoState Transport::greet(Deadline deadline, Greeting& greeting) {
  using State = contracts::GatewayHeader::State;
  std::array<char, contracts::kGatewayHeaderBytes> bytes;
  for (int enough = 1;;) {
    if (const IoState state = wait_for(Attempt::kWantsRead, deadline); state != IoState::kOk)
      return state;
    const ssize_t got = ::recv(fd_.get(), bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got < enough) return IoState::kClosed;
    contracts::GatewayHeader header =
        contracts::read_gateway_header({bytes.data(), static_cast<size_t>(got)});
    if (header.state == State::kNeedMore) {
      enough = static_cast<int>(got) + 1;
      wait_for_bytes(fd_.get(), enough);
      continue;
    }
    if (enough > 1) wait_for_bytes(fd_.get(), 1);
    if (header.state == State::kBad) return IoState::kClosed;
    if (header.state == State::kNone) {
      greeting.plain_http = bytes[0] >= 'A' && bytes[0] <= 'Z';
      return IoState::kOk;
    }
    (void)::recv(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    greeting.gateway_run = std::move(header.run_uid);
    return IoState::kOk;
  }
}

IoState Transport::handshake(Deadline deadline) {
  for (;;) {
    const Attempt attempt = attempt_handshake();
    if (attempt == Attempt::kDone) return IoState::kOk;
    if (attempt == Attempt::kClosed) return IoState::kClosed;
    if (deadline.over()) return IoState::kTooSlow;
    if (const IoState state = wait_for(attempt, deadline); state != IoState::kOk) return state;
  }
}

IoState Transport::wait_readable(Deadline deadline) {
  if (stop_.raised()) return IoState::kStopping;
  return has_buffered() ? IoState::kOk : wait_for(Attempt::kWantsRead, deadline);
}

IoState Transport::read(char* into, size_t size, Deadline deadline, size_t& got) {
  for (;;) {
    const Attempt attempt = attempt_read(into, size, got);
    if (attempt == Attempt::kDone) return IoState::kOk;
    if (attempt == Attempt::kClosed) return IoState::kClosed;
    if (deadline.over()) return IoState::kTooSlow;
    if (const IoState state = wait_for(attempt, deadline); state != IoState::kOk) return state;
  }
}

IoState Transport::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    if (const IoState state = write_piece(piece); state != IoState::kOk) return state;
    bytes.remove_prefix(piece.size());
  }
  return IoState::kOk;
}

IoState Transport::write_piece(std::string_view piece) {
  Deadline deadline = Deadline::in_ms(stop_.raised() ? kLastAnswerMs : write_timeout_ms_);
  while (!piece.empty()) {
    size_t written = 0;
    const Attempt attempt = attempt_write(piece, written);
    if (attempt == Attempt::kClosed) return IoState::kClosed;
    if (attempt == Attempt::kDone) {
      piece.remove_prefix(written);
      continue;
    }
    if (deadline.over()) return IoState::kTooSlow;
    if (const IoState state = wait_while_writing(attempt, deadline); state != IoState::kOk)
      return state;
  }
  return IoState::kOk;
}

SendState Transport::write_some(std::string_view bytes, size_t& sent) {
  for (sent = 0; sent < bytes.size();) {
    size_t written = 0;
    switch (attempt_write(bytes.substr(sent, kPieceBytes), written)) {
      case Attempt::kDone:
        sent += written;
        break;
      case Attempt::kWantsRead:
        return SendState::kWantsRead;
      case Attempt::kWantsWrite:
        return SendState::kWantsWrite;
      case Attempt::kClosed:
        return SendState::kClosed;
    }
  }
  return SendState::kAll;
}

bool Transport::read_some(char* into, size_t size, size_t& got) {
  got = 0;
  return attempt_read(into, size, got) != Attempt::kClosed;
}

IoState Transport::wait_both(Wants wants, int waker, Deadline deadline) const {
  if (stop_.raised()) return IoState::kStopping;
  const bool buffered = wants.read && has_buffered();
  const auto events =
      static_cast<short>(POLLRDHUP | (wants.read ? POLLIN : 0) | (wants.write ? POLLOUT : 0));
  std::array<pollfd, 3> fds{pollfd{fd_.get(), events, 0}, pollfd{stop_.fd(), POLLIN, 0},
                            pollfd{waker, POLLIN, 0}};
  const Deadline until = buffered ? Deadline::in_ms(0) : deadline;
  if (poll_retrying(fds.data(), fds.size(), until) <= 0)
    return buffered ? IoState::kOk : IoState::kTooSlow;
  if (fds[1].revents != 0) return IoState::kStopping;
  const bool gone = (fds[0].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
  return gone ? IoState::kClosed : IoState::kOk;
}

bool Transport::peer_gone() const {
  pollfd one{fd_.get(), POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

void Transport::finish(int linger_ms, const std::function<bool()>& hurries) {
  say_goodbye();
  ::shutdown(fd_.get(), SHUT_WR);
  const Deadline begin = Deadline::in_ms(0);
  Deadline heard = begin;
  const auto end = [&](size_t total) {
    const bool hurried = hurries && hurries();
    const auto extra_s = static_cast<int64_t>(total / kBytesPerExtraSecond);
    return begin.later_by_ms(hurried ? std::min(linger_ms, kHurriedMs) : linger_ms + extra_s * 1000)
        .earlier_of(heard.later_by_ms(hurried ? kHurriedSilenceMs : kSilenceMs));
  };
  std::array<char, 64 << 10> sink;
  for (size_t total = 0; total < kLingerBytes && linger_ms > 0;) {
    const ssize_t got = ::recv(fd_.get(), sink.data(), sink.size(), MSG_DONTWAIT);
    if (got > 0) {
      total += static_cast<size_t>(got);
      heard = Deadline::in_ms(0);
      continue;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) break;
    const Deadline until = end(total);
    const IoState state =
        wait_for(Attempt::kWantsRead, until.earlier_of(Deadline::in_ms(kHurriedSilenceMs)));
    if (state != IoState::kOk && (state != IoState::kTooSlow || until.over())) break;
  }
  fd_.reset();
}

std::unique_ptr<Transport> Transport::without_tls() {
  return make_plain_transport(std::move(fd_), stop_, write_timeout_ms_);
}

std::unique_ptr<Transport> make_plain_transport(os::Fd fd, const StopSignal& stop,
                                                int write_timeout_ms) {
  return std::make_unique<PlainTransport>(std::move(fd), stop, write_timeout_ms);
}

}  // namespace paddock::http_server

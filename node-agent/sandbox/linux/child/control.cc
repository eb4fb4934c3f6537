#include "node-agent/sandbox/linux/child/control.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <span>
#include <utility>

#include "common/os/passed_fds.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

// The head that comes before the text.
struct Head {
  char type = 0;
  int number = 0;
  int64_t cpu_ms = 0;
};

}  // namespace

Result<ControlPair> make_control_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return step_error("making the control socket", errno);
  return ControlPair{os::Fd(ends[0]), os::Fd(ends[1])};
}

namespace {

bool send_packet(int socket, ControlMessage::Type type, int number, int64_t cpu_ms,
                 std::string_view text, int fd, uint32_t pass) {
  Head head;
  head.type = static_cast<char>(type);
  head.number = number;
  head.cpu_ms = cpu_ms;
  text = text.substr(0, kMostControlText);
  iovec parts[] = {{&head, sizeof head}, {const_cast<char*>(text.data()), text.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  message.msg_control = space;
  os::attach_fds(message, std::span(&fd, fd >= 0 ? 1U : 0U));
  // Who passes a signal on holds what others wait for, and init may stand still.
  const uint64_t waits = type == ControlMessage::Type::kSignal ? MSG_DONTWAIT : 0;
  const uint64_t flags = uint64_t{pass} << 32 | MSG_NOSIGNAL | waits;
  long n = 0;
  do {
    n = syscall(SYS_sendmsg, socket, &message, flags);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<long>(sizeof head + text.size());
}

}  // namespace

bool send_control(int socket, ControlMessage::Type type, int number, int64_t cpu_ms,
                  std::string_view text, int fd) {
  return send_packet(socket, type, number, cpu_ms, text, fd, 0);
}

bool send_listener(int socket, int listener, uint32_t pass) {
  return send_packet(socket, ControlMessage::Type::kListener, getpid(), 0, {}, listener, pass);
}

std::optional<ControlMessage> receive_control(int socket, bool wait) {
  Head head;
  std::array<char, kMostControlText> text;  // NOLINT: what is read of it is written first
  iovec parts[] = {{&head, sizeof head}, {text.data(), text.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t n = 0;
  do {
    n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    // ECONNRESET: the other side left something unread. That error comes before its last messages,
    // so go on.
  } while (n < 0 && (errno == EINTR || errno == ECONNRESET));
  constexpr auto kHead = static_cast<ssize_t>(sizeof(Head));
  const bool whole = n >= kHead && (message.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) == 0;
  ControlMessage out;
  if (n >= 0) {  // of a cut one too, some may have come
    for (os::Fd& fd : os::take_fds(message)) out.fd = std::move(fd);
  }
  if (n >= 0 && !whole) errno = EPIPE;  // the end; errno was about something else
  if (!whole) return std::nullopt;
  out.type = static_cast<ControlMessage::Type>(head.type);
  out.number = head.number;
  out.cpu_ms = head.cpu_ms;
  out.text.assign(text.data(), static_cast<size_t>(n - kHead));
  return out;
}

}  // namespace paddock::sandbox

#include "common/os/packet_socket.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/passed_fds.h"

namespace paddock::os {
namespace {

// An address has room for 107 bytes only: name the folder by its descriptor.
struct Address {
  Fd folder;
  sockaddr_un value = {};
};

Result<Address> address_of(const std::string& path) {
  Address out;
  out.folder.reset(::open(folder_of(path).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!out.folder.valid()) return system_error("opening the socket's folder", errno);
  const std::string name = cat("/proc/self/fd/", out.folder.get(), "/", base_name(path));
  if (name.size() >= sizeof out.value.sun_path)
    return invalid_argument("SOCKET_NAME_TOO_LONG", "the socket's name is too long");
  out.value.sun_family = AF_UNIX;
  std::memcpy(out.value.sun_path, name.c_str(), name.size() + 1);
  return out;
}

Result<Fd> new_socket() {
  Fd out(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!out.valid()) return system_error("making a socket", errno);
  return out;
}

Error peer_gone() { return {Code::kUnavailable, "PEER_GONE", "the other side has left"}; }

union ControlSpace {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int) * kMaxPacketFds)];
};

}  // namespace

Result<Fd> listen_packets(const std::string& path) {
  ASSIGN_OR_RETURN(Address address, address_of(path));
  ASSIGN_OR_RETURN(Fd out, new_socket());
  if (::unlinkat(address.folder.get(), base_name(path).c_str(), 0) != 0 && errno != ENOENT)
    return system_error("removing the old socket", errno);
  const mode_t mask = ::umask(0177);  // never open to others, not even for a moment
  const int bound =
      ::bind(out.get(), reinterpret_cast<const sockaddr*>(&address.value), sizeof address.value);
  const int error = errno;
  ::umask(mask);
  if (bound != 0) return system_error("binding the socket", error);
  if (::listen(out.get(), SOMAXCONN) != 0) return system_error("listening", errno);
  return out;
}

Result<Fd> connect_packets(const std::string& path) {
  ASSIGN_OR_RETURN(Address address, address_of(path));
  ASSIGN_OR_RETURN(Fd out, new_socket());
  while (::connect(out.get(), reinterpret_cast<const sockaddr*>(&address.value),
                   sizeof address.value) != 0) {
    if (errno == EINTR) continue;
    return Error{Code::kUnavailable, "NOT_LISTENING",
                 cat("nobody listens at the socket: ", std::strerror(errno))};
  }
  return out;
}

std::optional<Fd> accept_packets(int listener) {
  const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) return std::nullopt;
  return Fd(fd);
}

Result<uid_t> peer_user(int socket) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return system_error("asking for the user of a connection", errno);
  return peer.uid;
}

Status send_packet(int socket, std::string_view bytes, std::span<const int> fds) {
  if (bytes.empty() || bytes.size() > kMaxPacketBytes || fds.size() > kMaxPacketFds)
    return invalid_argument("PACKET_TOO_LARGE", "a packet has bytes, and not too many");
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlSpace space = {};
  if (!fds.empty()) {
    message.msg_control = space.bytes;
    attach_fds(message, fds);
  }
  while (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return peer_gone();
    return system_error("sending a packet", errno);
  }
  return {};
}

Result<Packet> receive_packet(int socket) {
  Packet out;
  out.bytes.resize(kMaxPacketBytes);
  iovec part{out.bytes.data(), out.bytes.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlSpace space = {};
  message.msg_control = space.bytes;
  message.msg_controllen = sizeof space;
  ssize_t n = 0;
  do {
    n = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    // ECONNRESET: it left something unread, and is told, once, before what it sent itself.
  } while (n < 0 && (errno == EINTR || errno == ECONNRESET));
  if (n == 0) return peer_gone();
  if (n < 0) return system_error("receiving a packet", errno);
  out.fds = take_fds(message);
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return invalid_argument("PACKET_TOO_LARGE", "a packet was cut off");
  out.bytes.resize(static_cast<size_t>(n));
  return out;
}

Result<Fd> file_in_memory(std::string_view bytes) {
  // A host may insist on that (vm.memfd_noexec); before Linux 6.3 it is an unknown flag.
  constexpr unsigned kNoExecSeal = 8;
  Fd file(memfd_create("order", MFD_CLOEXEC | kNoExecSeal));
  if (!file.valid() && errno == EINVAL) file.reset(memfd_create("order", MFD_CLOEXEC));
  if (!file.valid()) return system_error("making a file in memory", errno);
  TRY(write_all(file.get(), bytes));
  if (lseek(file.get(), 0, SEEK_SET) != 0) return system_error("a file in memory", errno);
  return file;
}

}  // namespace paddock::os

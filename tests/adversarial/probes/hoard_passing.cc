// Takes space in files without a name that are on their way through a socket for a second, where
// nobody can count them, and gives them back, again and again: a gibibyte in all.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "probe.h"

namespace {

constexpr off_t kPiece = 4 << 20;
constexpr int kPieces = 256;
constexpr int kPauseUs = 50'000;  // so that a busy machine has time to look, too

int nameless() {
  const int file = open(".", O_TMPFILE | O_RDWR, 0600);
  if (file < 0 || !fill(file, kPiece)) _exit(3);
  return file;
}

void send_away(int socket, int file) {
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  char byte = 'x';
  iovec text{&byte, 1};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &file, sizeof file);
  if (sendmsg(socket, &message, 0) != 1) _exit(4);
}

void pass() {
  for (int made = 0; made < kPieces;) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) _exit(4);
    for (int i = 0; i < 20; ++i, ++made) {
      const int file = nameless();
      send_away(ends[0], file);
      close(file);
      usleep(kPauseUs);
    }
    close(ends[0]);
    close(ends[1]);
  }
}

}  // namespace

int main() {
  pass();
  std::puts("HAD IT ALL");
  return 0;
}

// Takes space in files without a name, where whoever counts may not look, and holds it:
//   in-flight   sent into a socket that nobody reads, and closed
//   mapped      closed and only mapped, which root alone may look at
//   closed      open in a program that its owner may not read, into which only root may look
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <string_view>

#include "probe.h"

namespace {

constexpr off_t kPiece = 4 << 20;
constexpr int kPieces = 8;

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

void become_closed(char** argv) {
  const int from = open("/proc/self/exe", O_RDONLY);
  const int to = open("closed-program", O_CREAT | O_WRONLY, 0700);
  static char block[64 << 10];
  long n = 0;
  while ((n = read(from, block, sizeof block)) > 0) {
    if (write(to, block, static_cast<size_t>(n)) != n) _exit(3);
  }
  fchmod(to, 0111);
  close(to);
  argv[1] = const_cast<char*>("open");
  execv("./closed-program", argv);
  _exit(5);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  if (how == "closed") become_closed(argv);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return 4;
  for (int i = 0; i < kPieces; ++i) {
    const int file = nameless();
    if (how == "mapped" && mmap(nullptr, kPiece, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED)
      return 4;
    if (how == "in-flight") send_away(ends[0], file);
    if (how != "open") close(file);
  }
  for (;;) pause();
}

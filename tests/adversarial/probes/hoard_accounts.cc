// Takes as much as it gets of what the kernel counts by user, says how much that was, and holds it.
// Arguments: descriptors (under way between its own processes) or pipes; and how many to try.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "probe.h"

namespace {

// One message of as many as the kernel takes in one.
bool send_some(int socket) {
  constexpr int kSome = 200;
  alignas(cmsghdr) char space[CMSG_SPACE(kSome * sizeof(int))] = {};
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
  head->cmsg_len = CMSG_LEN(kSome * sizeof(int));
  int all[kSome];
  std::fill_n(all, kSome, socket);
  std::memcpy(CMSG_DATA(head), all, sizeof all);
  return sendmsg(socket, &message, MSG_DONTWAIT) == 1;
}

int hoard_descriptors(int most) {
  int held = 0;
  int ends[2];
  while (held < most && socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0) {
    if (!send_some(ends[0])) break;
    held += 200;
  }
  return held;
}

// Of full size: the kernel gives small ones to whom has many.
int hoard_pipes(int most) {
  int held = 0;
  int ends[2];
  while (held < most && pipe(ends) == 0 && fcntl(ends[0], F_GETPIPE_SZ) == 65536) ++held;
  return held;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const bool pipes = std::string(arguments[1]) == "pipes";
  const int most = std::atoi(arguments[2]);
  std::printf("HELD %d\n", pipes ? hoard_pipes(most) : hoard_descriptors(most));
  std::fflush(stdout);
  for (;;) pause();
}

// Takes as much as it gets of what the kernel counts by user, says how much that was, and holds it.
// Arguments: what (see kHoards), and how many to try.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
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

// Each pipe is given its full size: the kernel gives small ones to a user who has many.
int hoard_pipes(int most) {
  int held = 0;
  int ends[2];
  while (held < most && pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[0], F_GETPIPE_SZ) == 65536)
    ++held;
  return held;
}

int hoard_watchers(int most) {
  int held = 0;
  while (held < most && inotify_init1(IN_CLOEXEC) >= 0) ++held;
  return held;
}

int hoard_signals(int most) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  int held = 0;
  while (held < most && sigqueue(getpid(), SIGRTMIN, {}) == 0) ++held;
  return held;
}

int hoard_timers(int most) {
  sigevent silent{};
  silent.sigev_notify = SIGEV_NONE;
  int held = 0;
  timer_t timer{};
  while (held < most && timer_create(CLOCK_MONOTONIC, &silent, &timer) == 0) ++held;
  return held;
}

int hoard_processes(int most) {
  int held = 0;
  while (held < most) {
    const pid_t child = fork();
    if (child < 0) break;
    if (child == 0)
      for (;;) pause();
    ++held;
  }
  return held;
}

// Pages of shared memory that stay in memory.
int hoard_locked(int most) {
  int held = 0;
  while (held < most) {
    const int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    if (id < 0 || shmctl(id, SHM_LOCK, nullptr) != 0) break;
    ++held;
  }
  return held;
}

// Pages that are lent to the kernel until what they hold has been read.
int hoard_lent(int most) {
  constexpr int kLend = 60;  // SO_ZEROCOPY; and MSG_ZEROCOPY below
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, generic, size) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, generic, &size) != 0)
    return -1;
  const int to = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  if (connect(to, generic, size) != 0 || setsockopt(to, SOL_SOCKET, kLend, &on, sizeof on) != 0)
    return -1;
  static char pages[4096];
  int held = 0;
  while (held < most && send(to, pages, sizeof pages, 0x4000000 | MSG_DONTWAIT) > 0) ++held;
  return held;
}

struct Hoard {
  const char* what;
  int (*take)(int most);
};
constexpr Hoard kHoards[] = {
    {"descriptors", hoard_descriptors}, {"pipes", hoard_pipes},   {"watchers", hoard_watchers},
    {"signals", hoard_signals},         {"timers", hoard_timers}, {"processes", hoard_processes},
    {"locked", hoard_locked},           {"lent", hoard_lent},
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  for (const Hoard& hoard : kHoards) {
    if (std::string(arguments[1]) != hoard.what) continue;
    std::printf("HELD %d\n", hoard.take(std::atoi(arguments[2])));
    std::fflush(stdout);
    for (;;) pause();
  }
  return 2;
}

// Takes memory of the kernel's on its own account: pipes and socket buffers, all filled, and stacks
// of threads.
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>

#include "probe.h"

namespace {

char block[1 << 16];

void fill(int fd) {
  fcntl(fd, F_SETFL, O_NONBLOCK);
  while (write(fd, block, sizeof block) > 0) {
  }
}

void* touch_stack(void*) {
  volatile char deep[1 << 20];
  for (size_t i = 0; i < sizeof deep; i += 4096) deep[i] = 1;
  for (;;) pause();
}

}  // namespace

int main() {
  for (int i = 0; i < 200; ++i) {
    int ends[2];
    if (pipe(ends) == 0) {
      fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
      fill(ends[1]);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
      const int size = 1 << 20;
      setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
      fill(ends[0]);
    }
    pthread_t thread;
    pthread_create(&thread, nullptr, touch_stack, nullptr);
  }
  std::puts("FILLED");
  std::fflush(stdout);
  _exit(0);
}

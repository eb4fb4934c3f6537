// Takes space in files without a name that belong to a process which goes on in a new one every
// moment, beside processes with thousands of descriptors that keep whoever looks through them busy.
// Ends by itself after a hundred thousand hops, which take longer than a busy machine keeps a
// launcher waiting for a processor.
//   hoard_hopping FILES DECOYS
#include <fcntl.h>
#include <sched.h>

#include <string>
#include <vector>

#include "probe.h"

namespace {

constexpr off_t kPiece = 1 << 20;

// With many descriptors, and nothing in them.
void start_decoy() {
  if (fork() != 0) return;
  for (int i = 0; i < 4000 && dup(0) >= 0; ++i) {
  }
  for (;;) pause();
}

long hop() { return syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0); }

}  // namespace

int main(int argc, char** argv) {
  const int files = argc > 1 ? std::stoi(argv[1]) : 16;
  for (int i = argc > 2 ? std::stoi(argv[2]) : 16; i > 0; --i) start_decoy();
  std::signal(SIGCHLD, SIG_IGN);  // who hopped away is nobody's to wait for
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return 3;
  if (fork() == 0) {
    close(pipe_ends[0]);
    for (int i = 0; i < files; ++i) {
      const int file = open("hopping", O_CREAT | O_RDWR, 0600);
      unlink("hopping");
      if (file < 0) _exit(3);
      if (!fill(file, kPiece)) {
        std::fprintf(stderr, "write %d at %d\n", errno, i);
        _exit(3);
      }
    }
    for (int i = 0; i < 100'000; ++i) {
      if (long h = hop(); h != 0) {
        if (h < 0) std::fprintf(stderr, "hop %ld %d\n", h, errno);
        _exit(0);
      }
      usleep(300);
    }
    (void)!write(pipe_ends[1], "HAD IT ALL\n", 11);
    _exit(0);
  }
  close(pipe_ends[1]);
  char text[16] = {};
  if (read(pipe_ends[0], text, sizeof text - 1) > 0) std::fputs(text, stdout);
  std::fflush(stdout);
  kill(-1, SIGKILL);
  return 0;
}

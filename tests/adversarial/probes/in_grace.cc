// Waits to be told to end, and then does what its argument says: save, memory, cpu, fork. With a
// second argument it is the child of a process that ends at once.
#include <signal.h>
#include <sys/mman.h>

#include "probe.h"

namespace {

// Reads the end of what its parent alone can write to: it has ended.
void wait_for_end_of_parent(int pipe) {
  char byte = 0;
  while (read(pipe, &byte, 1) > 0) {
  }
}

void save() { (void)!write(1, "SAVED\n", 6); }

void memory() {
  constexpr size_t kPiece = size_t{8} << 20;
  for (;;) {
    void* piece = mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece != MAP_FAILED) std::memset(piece, 1, kPiece);
  }
}

void cpu() {
  std::signal(SIGXCPU, SIG_IGN);
  volatile unsigned long n = 0;
  for (;;) n = n + 1;
}

void fork_on() {
  std::signal(SIGTERM, SIG_IGN);
  for (;;) (void)!fork();
}

}  // namespace

int main(int argc, char** argv) {
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, nullptr);
  int parent[2] = {-1, -1};
  if (argc > 2 && (pipe(parent) != 0 || fork() != 0)) {
    sigprocmask(SIG_UNBLOCK, &term, nullptr);
    for (;;) pause();
  }
  close(parent[1]);
  (void)!write(1, "READY\n", 6);
  int signal = 0;
  sigwait(&term, &signal);
  wait_for_end_of_parent(parent[0]);
  switch (argv[1][0]) {
    case 's':
      save();
      break;
    case 'm':
      memory();
      break;
    case 'c':
      cpu();
      break;
    default:
      fork_on();
  }
  return 0;
}

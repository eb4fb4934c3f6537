// Reaches for the program files of what runs it (CVE-2019-5736): an orphan, which init has taken
// over, opens them for writing again and again while other programs are executed.
#include <fcntl.h>
#include <sys/wait.h>

#include "probe.h"

namespace {

constexpr int kTries = 2000;

int write_to_programs() {
  int found = 0;
  for (int i = 0; i < kTries; ++i) {
    for (const char* file : {"/proc/1/exe", "/proc/self/exe", "/proc/thread-self/exe"}) {
      const int held = open(file, O_PATH);
      char again[64];
      std::snprintf(again, sizeof again, "/proc/self/fd/%d", held);
      const int opened = open(file, O_WRONLY);
      const int reopened = held < 0 ? -1 : open(again, O_WRONLY | O_TRUNC);
      if (opened >= 0 || reopened >= 0) ++found;
      for (const int fd : {held, opened, reopened}) close(fd);
    }
  }
  return found;
}

// In a grandchild whose parent has ended.
int of_an_orphan() {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  if (fork() == 0) {
    if (fork() != 0) _exit(0);
    const int found = write_to_programs();
    _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
  }
  close(ends[1]);
  int found = -1;
  while (wait(nullptr) > 0) {
  }
  return read(ends[0], &found, sizeof found) == sizeof found ? found : -1;
}

}  // namespace

int main() {
  if (const int found = of_an_orphan(); found != 0) breach("a program's file by an orphan", found);
  if (const int found = write_to_programs(); found != 0) breach("a program's file", found);
  return verdict();
}

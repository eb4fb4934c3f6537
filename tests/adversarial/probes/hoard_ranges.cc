// Takes locks on single bytes of files, of which the kernel keeps 192 bytes each and charges them
// to nobody. With `process`: millions, by one process, which waits then, and again by another one:
// who holds too many is ended before. With `passed`: as many as one open file can have, so that it
// could have them on its way through a socket; prints `HELD n`. With `honest`: many, beside many
// open files, and lets go.
#include <fcntl.h>
#include <sys/eventfd.h>

#include <string>
#include <string_view>

#include "probe.h"

namespace {

// Each file has a list, through which the kernel goes for each.
constexpr int kOfAFile = 500;

bool lock(int fd, int how, long byte, short type = F_WRLCK) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  return fcntl(fd, how, &range) == 0;
}

// None beside another, or the kernel makes one of both.
long take(long wanted) {
  long held = 0;
  while (held < wanted) {
    const int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    if (fd < 0) return held;
    for (int i = kOfAFile; i > 0 && held < wanted; --i) {
      if (!lock(fd, F_SETLK, i * 2L)) return held;
      ++held;
    }
  }
  return held;
}

[[noreturn]] void say_and_wait(const char* what, long number) {
  std::printf("%s %ld\n", what, number);
  std::fflush(stdout);
  for (;;) pause();
}

int pass_on() {
  const int fd = open(".", O_TMPFILE | O_RDWR, 0600);
  long held = 0;
  for (long i = 1; i <= 1000 && lock(fd, F_OFD_SETLK, i * 2); ++i) ++held;
  if (errno != ENOLCK) breach("another answer", errno);
  // One that is taken apart is two, and a few of these are let through.
  struct flock all {};
  all.l_type = F_WRLCK;
  if (fcntl(fd, F_OFD_SETLK, &all) == 0) breach("one more");
  all.l_type = F_UNLCK;
  if (fcntl(fd, F_OFD_SETLK, &all) != 0) breach("giving all back", errno);
  all.l_type = F_WRLCK;
  if (fcntl(fd, F_OFD_SETLK, &all) != 0) breach("one for all", errno);
  long parts = 1;
  for (long i = 1; i <= 1000 && lock(fd, F_OFD_SETLK, i * 2, F_UNLCK); ++i) ++parts;
  std::printf("HELD %ld %ld\n", held, parts);
  return verdict();
}

int be_honest() {
  const long held = take(100'000);
  while (eventfd(0, 0) >= 0) {
  }
  sleep(1);
  std::printf("HELD %ld\n", held);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "process";
  if (how == "passed") return pass_on();
  if (how == "honest") return be_honest();
  take_again_and_again([] { say_and_wait("HELD", take(2'000'000)); });
}

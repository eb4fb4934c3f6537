// Tries to lock what is not the sandbox's own: the file that its argument names and that it may
// read, the system's, and what the kernel has once for the whole host; by one call, and by
// descriptors that become others while the call is looked at. Then it says HELD and keeps what it
// got.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "probe.h"

namespace {

constexpr int kRaces = 1000;
constexpr int kWaits = 20;

void try_one(const std::string& what, int fd) {
  if (fd < 0) return;
  const long upper = 0x100000000;
  expect_refused(what.c_str(), flock(fd, LOCK_EX));
  if (errno != EBADF) breach(("another answer: " + what).c_str(), errno);
  expect_refused((what + ", not waiting").c_str(), flock(fd, LOCK_EX | LOCK_NB));
  expect_refused((what + ", by a large number").c_str(),
                 syscall(SYS_flock, fd, upper | LOCK_EX | LOCK_NB));
  if (flock(fd, LOCK_SH) != 0) breach(("a share is harmless: " + what).c_str(), errno);
  if (flock(fd, LOCK_UN) != 0) breach(("giving it back: " + what).c_str(), errno);
}

// Locks on ranges that belong to an open file, on what everybody may write.
void try_ranges(const char* what, int fd) {
  struct flock all {};
  all.l_type = F_WRLCK;
  expect_refused(what, fcntl(fd, F_OFD_SETLKW, &all));
  expect_refused(what, fcntl(fd, F_OFD_SETLK, &all));
  if (errno != EBADF) breach("another answer to a lock on a range", errno);
  all.l_type = F_UNLCK;
  if (fcntl(fd, F_OFD_SETLK, &all) != 0) breach("giving back a range", errno);
  all.l_type = F_RDLCK;
  if (fcntl(fd, F_OFD_SETLK, &all) != 0) breach("a share of a range is harmless", errno);
}

// All of these are one file, on which nobody else has a lock.
void try_ranges_without_inode() {
  const int shared = eventfd(0, 0);
  try_ranges("a range of a file without an inode of its own", shared);
  struct flock alone {};
  alone.l_type = F_WRLCK;
  if (fcntl(eventfd(0, 0), F_OFD_GETLK, &alone) != 0 || alone.l_type != F_UNLCK)
    breach("a share of a range is held", alone.l_pid);
}

// One descriptor's number is now the one file and now the other, while locks are asked for it.
void race(int own, int others, int operation, int rounds) {
  const int number = fcntl(own, F_DUPFD_CLOEXEC, 0);
  std::atomic<bool> over = false;
  std::thread flips([&] {
    while (!over) {
      dup2(others, number);
      dup2(own, number);
    }
  });
  for (int i = 0; i < rounds; ++i) flock(number, operation);
  over = true;
  flips.join();
  close(number);
}

// The same while somebody else has the lock of its own file, so that each call has to wait: until a
// signal ends it.
void race_waiting(int others) {
  const int held = open("/workspace/contended", O_RDWR | O_CLOEXEC | O_CREAT, 0600);
  flock(held, LOCK_EX);
  const pid_t child = fork();
  if (child == 0) {
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};
    sigaction(SIGALRM, &nothing, nullptr);
    const itimerval often{{0, 5000}, {0, 5000}};
    setitimer(ITIMER_REAL, &often, nullptr);
    race(open("/workspace/contended", O_RDWR | O_CLOEXEC), others, LOCK_EX, kWaits);
    // What it got on the other's file is held by whoever has that open: its parent.
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const int others = open(arguments[1], O_RDONLY | O_CLOEXEC);
  if (others < 0) breach("the file is not there", errno);
  try_one("a file of the host", others);
  try_one("a program", open("/usr/bin/env", O_RDONLY | O_CLOEXEC));
  try_one("its own program", open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  try_one("a folder", open("/usr", O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  try_one("the root", open("/", O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  try_one("a device", open("/dev/null", O_RDWR | O_CLOEXEC));
  try_ranges("a range of a device", open("/dev/null", O_RDWR | O_CLOEXEC));
  try_ranges_without_inode();
  try_one("a namespace of the host", open("/proc/self/ns/time", O_RDONLY | O_CLOEXEC));
  try_one("a file without an inode of its own", eventfd(0, 0));
  race(open("/workspace/own", O_RDWR | O_CLOEXEC | O_CREAT, 0600), others, LOCK_EX | LOCK_NB,
       kRaces);
  race_waiting(others);
  verdict();
  std::puts("HELD");
  std::fflush(stdout);
  for (;;) pause();
}

// Reaches for the processes that built the sandbox: their programs, memory, descriptors.
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "probe.h"

int main() {
  const char* files[] = {"/proc/1/exe",   "/proc/1/mem",  "/proc/1/environ",
                         "/proc/1/maps",  "/proc/1/fd",   "/proc/1/cwd",
                         "/proc/1/root/", "/proc/1/fd/3", "/proc/1/auxv"};
  for (const char* file : files) {
    for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR}) expect_refused(file, open(file, flags));
  }
  expect_refused("/proc/self/exe for writing", open("/proc/self/exe", O_WRONLY));
  expect_refused("ptrace of pid 1", ptrace(PTRACE_SEIZE, 1, nullptr, nullptr));
  char byte = 0;
  const iovec to{&byte, 1};
  const iovec from{&byte, 1};
  expect_refused("process_vm_readv of pid 1", process_vm_readv(1, &to, 1, &from, 1, 0));
  expect_refused("process_vm_writev of pid 1", process_vm_writev(1, &to, 1, &from, 1, 0));
  expect_refused("kcmp with pid 1", syscall(SYS_kcmp, getpid(), 1, 0, 0, 0));
  const long pidfd = syscall(SYS_pidfd_open, 1, 0);
  if (pidfd >= 0) expect_refused("pidfd_getfd of pid 1", syscall(SYS_pidfd_getfd, pidfd, 3, 0));
  kill(1, SIGKILL);
  kill(1, SIGSTOP);
  kill(1, SIGTERM);
  kill(-1, SIGCONT);
  return verdict();
}

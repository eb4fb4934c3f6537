// Asks for every kind of nested namespace by every call that makes one: from its first thread, from
// another, and once more after an exec.
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include <thread>

#include "probe.h"

namespace {

void try_clone(const char* what, unsigned long flags) {
  const long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  if (pid > 0) {
    waitpid(static_cast<pid_t>(pid), nullptr, 0);
    breach(what, static_cast<long>(flags));
  }
}

void try_clone3(unsigned long flags) {
  clone_args arguments{};
  arguments.flags = flags;
  arguments.exit_signal = SIGCHLD;
  const long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) _exit(0);
  if (pid > 0) {
    waitpid(static_cast<pid_t>(pid), nullptr, 0);
    breach("clone3", static_cast<long>(flags));
  }
}

void try_everything() {
  const unsigned long kinds[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                 CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};
  for (const unsigned long kind : kinds) {
    try_clone("clone", kind);
    try_clone("clone with a user namespace", kind | CLONE_NEWUSER);
    try_clone3(kind);
    expect_refused("unshare", syscall(SYS_unshare, kind));
    expect_refused("unshare with a user namespace", syscall(SYS_unshare, kind | CLONE_NEWUSER));
  }
  expect_refused("unshare of time", syscall(SYS_unshare, CLONE_NEWTIME));
  try_clone3(CLONE_NEWTIME);
  try_clone3(0);
  for (const char* space : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/ns/%s", space);
    expect_refused("setns", syscall(SYS_setns, open(path, O_RDONLY), 0));
    std::snprintf(path, sizeof path, "/proc/1/ns/%s", space);
    expect_refused("the namespaces of pid 1", open(path, O_RDONLY));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try_everything();
  std::thread(try_everything).join();
  if (argc == 1 && breaches == 0) execl(argv[0], argv[0], "again", nullptr);
  if (argc == 1) breach("no second program could be tried", errno);
  return verdict();
}

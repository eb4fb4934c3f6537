// Leaves a sign in everything that two processes of one kernel could share, or looks for one.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "probe.h"

namespace {

sockaddr_un abstract_name() {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  std::strcpy(out.sun_path + 1, "neighbour");
  return out;
}

void leave() {
  shmget(4711, 4096, IPC_CREAT | 0666);
  semget(4711, 1, IPC_CREAT | 0666);
  mq_open("/neighbour", O_CREAT | O_RDWR, 0666, nullptr);
  for (const char* path : {"/tmp/neighbour", "/dev/shm/neighbour"}) {
    close(open(path, O_CREAT | O_WRONLY, 0666));
  }
  const sockaddr_un name = abstract_name();
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  bind(listener, reinterpret_cast<const sockaddr*>(&name), sizeof name);
  listen(listener, 1);
  (void)!write(1, "READY\n", 6);
  for (;;) pause();
}

}  // namespace

int main(int argc, char**) {
  if (argc > 1) leave();
  expect_refused("shared memory", shmget(4711, 0, 0));
  expect_refused("a semaphore", semget(4711, 0, 0));
  expect_refused("a message queue", mq_open("/neighbour", O_RDWR));
  expect_refused("a file in /tmp", open("/tmp/neighbour", O_RDONLY));
  expect_refused("a file in /dev/shm", open("/dev/shm/neighbour", O_RDONLY));
  // A lease on a program that both see would tell of, and hold up, whoever opens it.
  const int program = open("/usr/bin/env", O_RDONLY);
  if (program < 0) breach("nothing to lease");
  expect_refused("a lease on a shared program", fcntl(program, F_SETLEASE, F_RDLCK));
  const sockaddr_un name = abstract_name();
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  expect_refused("an abstract socket",
                 connect(client, reinterpret_cast<const sockaddr*>(&name), sizeof name));
  return verdict();
}

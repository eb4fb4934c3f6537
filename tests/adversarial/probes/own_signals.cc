// Dies by a signal of the kernel's for limits without having met one, and without any kill():
// `own_signals HOW SIGNAL`. The result must not tell of a limit. As `met` it does meet one, of the
// size of files, and has timers that send this signal or, as SIGEV_NONE, would send the limit's. As
// `raise` it meets that limit once it has set it to what it is.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include <string_view>

#include "probe.h"

namespace {

void by_timer(int signal) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = signal;
  timer_t timer{};
  itimerspec soon{};
  soon.it_value.tv_nsec = 1'000'000;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &soon, nullptr);
}

void meet_limit() {
  const int fd = open("met", O_CREAT | O_WRONLY, 0600);
  while (write(fd, "a block", 7) > 0) {
  }
}

void by_the_limit_beside_timers(int signal) {
  sigevent event{};
  event.sigev_signo = signal;
  timer_t timer{};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  event.sigev_notify = SIGEV_NONE;
  event.sigev_signo = SIGXFSZ;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  meet_limit();
}

void by_the_limit_that_it_set_anew() {
  for (const auto resource : {RLIMIT_FSIZE, RLIMIT_CPU}) {
    rlimit now{};
    getrlimit(resource, &now);
    now.rlim_cur = now.rlim_max;
    setrlimit(resource, &now);
  }
  meet_limit();
}

// The end of a child tells its parent by any signal.
void by_child(int signal) {
  if (syscall(SYS_clone, static_cast<long>(signal), nullptr, nullptr, nullptr, 0) == 0) _exit(0);
}

void by_input(int signal) {
  int ends[2] = {};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
  fcntl(ends[0], F_SETOWN, getpid());
  fcntl(ends[0], F_SETSIG, signal);
  fcntl(ends[0], F_SETFL, O_ASYNC);
  (void)!write(ends[1], "x", 1);
}

void by_limit(int signal) {
  const rlimit few{1, 2};
  if (signal == SIGXCPU) {
    setrlimit(RLIMIT_CPU, &few);
    for (;;) clock();
  }
  prlimit(0, RLIMIT_FSIZE, &few, nullptr);
  const int fd = open("own", O_CREAT | O_WRONLY, 0600);
  while (write(fd, "x", 1) == 1) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 3;
  const std::string_view how = argv[1];
  const int signal = atoi(argv[2]);
  if (how == "timer") by_timer(signal);
  if (how == "child") by_child(signal);
  if (how == "input") by_input(signal);
  if (how == "limit") by_limit(signal);
  if (how == "raise") by_the_limit_that_it_set_anew();
  if (how == "met") by_the_limit_beside_timers(signal);
  sleep(300);  // for longer than a child waits for a processor
  return 3;
}

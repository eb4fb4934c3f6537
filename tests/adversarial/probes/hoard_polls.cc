// Has many threads wait in poll or select for the same few inputs, named thousands of times: the
// kernel keeps something for each name while a call waits. `hoard_polls HOW COUNT`: says how many
// of COUNT threads could wait at one time, and whether as many can once these have ended. `sleep`:
// for no input at all, as old programs do who only want to sleep; these threads do not end.
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "probe.h"

namespace {

constexpr int kNamed = 960;  // fewer than any host lets a process have open

struct Wait {
  std::string_view how;
  int quiet = -1;   // nothing comes here until its other end is closed
  int answer = -1;  // a letter for each call: y, or n where the kernel has no memory
};

long call(const Wait& wait, std::vector<pollfd>& inputs, bool at_once) {
  const timespec none{};
  const timespec* until = at_once ? &none : nullptr;
  if (wait.how == "poll") return syscall(SYS_ppoll, inputs.data(), kNamed, until, nullptr, 0);
  if (wait.how == "sleep") {
    const timespec hour{3600, 0};
    return syscall(SYS_pselect6, FD_SETSIZE, nullptr, nullptr, nullptr, at_once ? &none : &hour,
                   nullptr);
  }
  std::vector<unsigned long> set(kNamed / 64, ~0UL);
  set[0] = 0;
  return syscall(SYS_pselect6, kNamed, set.data(), nullptr, nullptr, until, nullptr);
}

// The first call, which does not wait, says what becomes of the second.
void wait_for_inputs(const Wait& wait) {
  std::vector<pollfd> inputs(kNamed, pollfd{wait.quiet, POLLIN, 0});
  const bool can = call(wait, inputs, true) >= 0;
  const char said = can ? 'y' : (errno == ENOMEM ? 'n' : '?');
  (void)!write(wait.answer, &said, 1);
  if (can) (void)call(wait, inputs, false);
}

int wait_at_one_time(std::string_view how, int count) {
  int quiet[2];
  int answer[2];
  if (pipe(quiet) != 0 || pipe(answer) != 0) return -1;
  // Each name of a select is a descriptor of its own.
  std::vector<int> copies;
  while (how == "select" && (copies.empty() || copies.back() < kNamed - 1))
    copies.push_back(dup(quiet[0]));
  std::vector<std::thread> threads;
  int waiting = 0;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back(wait_for_inputs, Wait{how, quiet[0], answer[1]});
    char said = 0;
    if (read(answer[0], &said, 1) != 1 || said == '?') {
      std::printf("ANOTHER ANSWER to %s\n", how.data());
      std::fflush(stdout);
      _exit(1);
    }
    if (said == 'y') ++waiting;
  }
  close(quiet[1]);
  for (std::thread& each : threads) how == "sleep" ? each.detach() : each.join();
  for (const int fd : copies) close(fd);
  for (const int fd : {quiet[0], answer[0], answer[1]}) close(fd);
  return waiting;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  // Small, as the private memory of a process is all that some hosts can bound.
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  pthread_setattr_default_np(&small);
  mallopt(M_ARENA_MAX, 1);
  const int first = wait_at_one_time(argv[1], std::atoi(argv[2]));
  std::printf("WAITED %d\n", first);
  if (std::string_view(argv[1]) == "sleep") return 0;
  std::printf("AGAIN %d\n", wait_at_one_time(argv[1], std::atoi(argv[2])));
  return 0;
}

// Installs filters of system calls of its own. With `hide`: to take the place of the launcher's, to
// listen in its place, or to be asked before it. With `hoard`: as many of the largest as there are,
// each process its own. With `hop`: the same, by processes that hand theirs on to a child and end,
// so that whoever counts finds neither. With `churn`: many, and none for long, which is allowed.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

#include "probe.h"

namespace {

constexpr unsigned short kLargest = 4096;  // instructions

int install(sock_filter* first, unsigned short count, unsigned long flags) {
  const sock_fprog program{count, first};
  return static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}

// Answers `number` so, and lets all else pass.
int answer(long number, unsigned action, unsigned long flags = 0) {
  std::array<sock_filter, 4> program{
      {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
       {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<unsigned>(number)},
       {BPF_RET | BPF_K, 0, 0, action},
       {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}}};
  return install(program.data(), program.size(), flags);
}

void expect_no_way_out(const char* when) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in outside{};
  outside.sin_family = AF_INET;
  outside.sin_port = htons(443);
  outside.sin_addr.s_addr = htonl(0xc0000201);  // 192.0.2.1
  if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&outside), sizeof outside) == 0)
    breach(when, 0);
  if (errno != ENETUNREACH) breach(when, errno);
  if (fd >= 0) close(fd);
}

void hide() {
  for (const unsigned long flags : {SECCOMP_FILTER_FLAG_NEW_LISTENER,
                                    SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC |
                                        SECCOMP_FILTER_FLAG_TSYNC_ESRCH})
    expect_refused("a listener of its own", answer(SYS_connect, SECCOMP_RET_USER_NOTIF, flags));
  expect_no_way_out("without filters of its own");
  for (const unsigned action : {SECCOMP_RET_ALLOW, SECCOMP_RET_LOG, SECCOMP_RET_TRACE}) {
    if (answer(SYS_connect, action, SECCOMP_FILTER_FLAG_TSYNC) != 0) breach("an own filter", errno);
    if (action == SECCOMP_RET_TRACE)
      break;  // nobody traces: ENOSYS, and the launcher was asked first
    expect_no_way_out("with a filter that allows it");
  }
  expect_refused("a memory of another",
                 syscall(SYS_process_vm_readv, 1, nullptr, 0, nullptr, 0, 0));
}

[[noreturn]] void take(int told) {
  static std::array<sock_filter, kLargest> program;
  for (sock_filter& each : program) each = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  while (install(program.data(), kLargest, 0) == 0) {
    if (write(told, "x", 1) != 1) _exit(1);
  }
  close(told);  // there are no more
  for (;;) pause();
}

// Until the parent has heard of enough refusals; then whoever has it waits, so that all filters are
// there at once.
[[noreturn]] void take_and_hop(int told, const std::atomic<bool>& enough) {
  static std::array<sock_filter, kLargest> program;
  for (sock_filter& each : program) each = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  // The kernel itself lets nobody have more than seven.
  for (int own = 0; !enough;) {
    if (own < 6) {
      const bool got = install(program.data(), kLargest, 0) == 0;
      if (got) ++own;
      if (write(told, got ? "x" : "-", 1) != 1) _exit(1);
    }
    if (fork() > 0) _exit(0);
  }
  close(told);
  for (;;) pause();
}

void churn() {
  constexpr int kRounds = 400;
  int done = 0;
  for (int i = 0; i < kRounds; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const bool all = answer(SYS_acct, SECCOMP_RET_ERRNO | ENOSYS) == 0 &&
                       answer(SYS_reboot, SECCOMP_RET_ERRNO | ENOSYS) == 0;
      _exit(all ? 0 : 1);
    }
    int status = 1;
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0) ++done;
  }
  std::printf("CHURNED %d of %d\n", done, kRounds);
  std::fflush(stdout);
  _exit(0);
}

// Each process has its own, and none ends. All have what they get once the pipe has no writer any
// more: whoever got no further has closed it, and who was ended for it too.
void hoard(bool hops) {
  constexpr long kRefusals = 64;
  void* const shared = mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return;
  auto& enough = *new (shared) std::atomic<bool>(false);
  int ends[2];
  if (pipe(ends) != 0) return;
  pid_t child = 0;
  for (int i = 0; i < 256 && child >= 0; ++i) {
    child = fork();
    if (child == 0) hops ? take_and_hop(ends[1], enough) : take(ends[1]);
  }
  close(ends[1]);
  std::puts("BEGUN");
  std::fflush(stdout);
  long filters = 0;
  long refusals = 0;
  char taken[4096];
  while (true) {
    const ssize_t n = read(ends[0], taken, sizeof taken);
    if (n == 0 || (n < 0 && errno != EINTR)) break;
    for (ssize_t i = 0; i < n; ++i) taken[i] == 'x' ? ++filters : ++refusals;
    if (refusals >= kRefusals) enough = true;
  }
  std::printf("FILTERS %ld\n", filters);
  std::fflush(stdout);
  _exit(0);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  if (std::strcmp(arguments[1], "hoard") == 0) hoard(false);
  if (std::strcmp(arguments[1], "hop") == 0) hoard(true);
  if (std::strcmp(arguments[1], "churn") == 0) churn();
  hide();
  return verdict();
}

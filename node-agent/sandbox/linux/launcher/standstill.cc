#include "node-agent/sandbox/linux/launcher/standstill.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <string>

#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox::standstill {
namespace {

constexpr int kStillMs = 300;  // or more, where a millisecond's sleep takes longer
// The file that says whether all stand still, and with cgroup v1 lets them go.
constexpr int kState = 3;

}  // namespace

os::Fd open_state(const Cgroup* cgroup) {
  if (cgroup == nullptr) return {};
  const std::string file = cgroup->frozen_file();
  os::Fd out(open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!out.valid()) out.reset(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  return out;
}

void enter(const Kept& kept, os::Fd state, int user_namespace, pid_t launcher) {
  if (user_namespace >= 0 && setns(user_namespace, CLONE_NEWUSER) != 0) _exit(1);
  constexpr int kAbove = 64;
  const std::array<int, 4> all = {kept[0], kept[1], kept[2], state.release()};
  std::array<int, 4> moved{};
  for (size_t i = 0; i < all.size(); ++i) moved[i] = fcntl(all[i], F_DUPFD_CLOEXEC, kAbove);
  raw::close_range(0, kAbove - 1);
  for (size_t i = 0; i < all.size(); ++i) {
    if (moved[i] >= 0 && dup3(moved[i], static_cast<int>(i), O_CLOEXEC) < 0) _exit(1);
  }
  raw::close_range(kState + 1, ~0U);
  signal(SIGUSR1, let_all_end);
  if (prctl(PR_SET_PDEATHSIG, SIGUSR1) != 0 || getppid() != launcher) let_all_end(0);
}

void wait() {
  for (int round = 0; round < kStillMs; ++round) {
    char text[256];
    const ssize_t n = pread(kState, text, sizeof text, 0);
    if (n <= 0 || cgroup_files::says_frozen({text, static_cast<size_t>(n)})) return;
    poll(nullptr, 0, 1);
  }
}

void let_all_end(int) {
  (void)!write(kState, "THAWED", 6);
  _exit(0);
}

}  // namespace paddock::sandbox::standstill

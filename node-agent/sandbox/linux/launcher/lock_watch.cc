#include "node-agent/sandbox/linux/launcher/lock_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/os/proc_text.h"
#include "node-agent/sandbox/linux/launcher/held_locks.h"
#include "node-agent/sandbox/linux/launcher/standstill.h"

namespace paddock::sandbox {
namespace {

constexpr int64_t kSuspiciousKib = 12 << 10;  // half of what so many locks take
// Nobody takes so many locks in less, or has so many folders read.
constexpr Millis kCpuOfSoMany{10};
// Counting takes a third of one processor at most.
constexpr int kLockRest = 2;
constexpr Millis kShortestRest{300};
constexpr Millis kCountTime{10'000};

}  // namespace

LockWatch::LockWatch(pid_t init, const Cgroup& cgroup, bool privileged, int64_t folder_bytes)
    : init_(init), cgroup_(cgroup), folder_bytes_(folder_bytes) {
  if (!privileged)
    user_namespace_.reset(open(cat("/proc/", init, "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
}

LockWatch::~LockWatch() { end_process(); }

void LockWatch::end_process() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

void LockWatch::begin() {
  memory_.reset(open("/proc/meminfo", O_RDONLY | O_CLOEXEC));
  (void)suspicious_use();
}

std::optional<LockWatch::Use> LockWatch::suspicious_use() {
  if (lseek(memory_.get(), 0, SEEK_SET) != 0) return std::nullopt;
  const auto text = os::read_all(memory_.get(), 64 << 10);
  const int64_t kib = text.ok() ? os::proc_kib(*text, "SUnreclaim") : 0;
  if (kib == 0) return std::nullopt;
  int64_t& lowest = counted_.kernel_kib;
  lowest = lowest == 0 ? kib : std::min(lowest, kib);
  least_kib_ = least_kib_ == 0 ? kib : std::min(least_kib_, kib);
  if (kib - lowest < kSuspiciousKib) return std::nullopt;
  // What a run without such a count has computed is anybody's guess.
  const Millis cpu = cgroup_.read().cpu.value_or(counted_.cpu + kCpuOfSoMany);
  if (cpu - counted_.cpu < kCpuOfSoMany) return std::nullopt;
  return Use{kib, cpu};
}

// What is kept for them is estimated from above, so it must be there as well.
bool LockWatch::may_hold_folders() const {
  return asked_.kernel_kib - least_kib_ >= folder_bytes_ >> 10;
}

void LockWatch::look(MonoTime now) {
  if (process_ >= 0 && now - asked_at_ >= kCountTime) give_up(now);
  if (process_ >= 0 || now < rests_until_) return;
  const auto use = suspicious_use();
  if (!use) return;
  asked_ = *use;
  asked_at_ = now;
  if (!ask()) give_up(now);
}

bool LockWatch::ask() {
  auto pipe = os::make_pipe();
  if (!pipe.ok()) return false;
  const pid_t launcher = getpid();
  process_ = fork();
  if (process_ == 0) count_and_end(pipe->write.get(), launcher);
  if (process_ > 0) answer_ = std::move(pipe->read);
  return process_ > 0;
}

void LockWatch::count_and_end(int answer, pid_t launcher) const {
  standstill::enter({answer, answer, answer}, {}, user_namespace_.get(), launcher);
  const HeldMemory held = held_memory(init_, {kMostRangeLocks, folder_bytes_}, may_hold_folders());
  (void)!write(0, &held, sizeof held);
  _exit(0);
}

EndCause LockWatch::take(MonoTime now) {
  HeldMemory held;
  // Without an answer the launcher's host is out of something, and the run did nothing wrong.
  const bool counted = read(answer_.get(), &held, sizeof held) == sizeof held;
  give_up(now);
  if (!counted) return EndCause::kNone;
  if (held.locks > kMostRangeLocks) return EndCause::kLocks;
  // A descriptor that is handed over is on its way for a moment, so a doubt is settled by the next
  // count, which then comes whether the host's memory grows or not.
  const bool over = held.folder_bytes > folder_bytes_;
  if (!over) counted_ = asked_;
  return std::exchange(folders_over_, over) && over ? EndCause::kFolders : EndCause::kNone;
}

void LockWatch::give_up(MonoTime now) {
  answer_.reset();
  end_process();
  rests_until_ = now + std::max(kLockRest * (now - asked_at_), kShortestRest);
}

}  // namespace paddock::sandbox

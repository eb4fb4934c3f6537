#include "node-agent/sandbox/linux/launcher/lock_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/launcher/held_locks.h"
#include "node-agent/sandbox/linux/launcher/standstill.h"
#include "node-agent/sandbox/result/outcome.h"

namespace paddock::sandbox {
namespace {

constexpr int64_t kSuspiciousKib = 24 << 10;  // what so many locks take
// Nobody takes so many locks in less.
constexpr Millis kCpuOfSoMany{20};
// It stands still for a third of its time at most: it can make the count long, and takes more locks
// meanwhile.
constexpr int kLockRest = 2;
constexpr Millis kShortestRest{300};
constexpr Millis kCountTime{10'000};

}  // namespace

LockWatch::LockWatch(pid_t init, Cgroup& cgroup, bool privileged) : init_(init), cgroup_(cgroup) {
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
  (void)is_suspicious();
}

bool LockWatch::is_suspicious() {
  if (lseek(memory_.get(), 0, SEEK_SET) != 0) return false;
  const auto text = os::read_all(memory_.get(), 64 << 10);
  if (!text.ok()) return false;
  const size_t line = text->find("\nSUnreclaim:");
  if (line == std::string::npos) return false;
  const size_t from = text->find_first_of("0123456789", line);
  const size_t end = std::min(text->find(' ', from), text->size());
  const int64_t kib =
      from < end ? parse_integer<int64_t>(text->substr(from, end - from)).value_or(0) : 0;
  lowest_ = lowest_ == 0 ? kib : std::min(lowest_, kib);
  if (kib - lowest_ < kSuspiciousKib) return false;
  // What a run without such a count has computed is anybody's guess.
  const Millis cpu = cgroup_.read().cpu.value_or(cpu_at_last_ + kCpuOfSoMany);
  if (cpu - cpu_at_last_ < kCpuOfSoMany) return false;
  cpu_at_last_ = cpu;
  lowest_ = kib;
  return true;
}

void LockWatch::look(MonoTime now) {
  if (counts() || now < rests_until_ || !is_suspicious() || !ask()) return;
  asked_at_ = now;
  due_ = now + kCountTime;
}

bool LockWatch::ask() {
  auto pipe = os::make_pipe();
  if (!pipe.ok()) return false;
  cgroup_.freeze();
  still_ = true;
  const pid_t launcher = getpid();
  process_ = fork();
  if (process_ == 0) count_and_end(pipe->write.get(), launcher);
  if (process_ > 0) {
    answer_ = std::move(pipe->read);
  } else {
    let_go_on();
  }
  return process_ > 0;
}

void LockWatch::count_and_end(int answer, pid_t launcher) const {
  standstill::enter({answer, answer, answer}, standstill::open_state(&cgroup_),
                    user_namespace_.get(), launcher);
  standstill::wait();
  const int64_t locks = held_locks(init_, kMostRangeLocks);
  (void)!write(0, &locks, sizeof locks);
  _exit(0);
}

bool LockWatch::take(MonoTime now) {
  int64_t locks = 0;
  // Without an answer the launcher's host is out of something, and the run did nothing wrong.
  if (read(answer_.get(), &locks, sizeof locks) != sizeof locks) locks = 0;
  answer_.reset();
  end_process();
  rests_until_ = now + std::max(kLockRest * (now - asked_at_), kShortestRest);
  if (locks > kMostRangeLocks) return true;
  let_go_on();
  return false;
}

void LockWatch::let_go_on() {
  if (std::exchange(still_, false)) cgroup_.thaw();
}

}  // namespace paddock::sandbox

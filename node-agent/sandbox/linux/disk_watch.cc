#include "node-agent/sandbox/linux/disk_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/disk_usage.h"
#include "node-agent/sandbox/linux/raw.h"

namespace paddock::sandbox {
namespace {

constexpr Millis kAskAnyway{10'000};  // others may have freed what the run took
constexpr int kRestFactor = 9;        // measuring takes a tenth of one processor at most

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

}  // namespace

DiskWatch::~DiskWatch() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<std::unique_ptr<DiskWatch>> DiskWatch::start(const SandboxPlan& plan) {
  if (!plan.workspace) return std::unique_ptr<DiskWatch>();
  std::unique_ptr<DiskWatch> out(new DiskWatch(*plan.workspace, plan.privileged));
  out->folder_.reset(raw::openat2(AT_FDCWD, plan.workspace->folder.c_str(),
                                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
                                  RESOLVE_NO_MAGICLINKS));
  if (!out->folder_.valid() || !out->note_free_space())
    return step_error("opening the workspace", errno);
  if (!out->quota_.whole) {
    ASSIGN_OR_RETURN(out->before_, folder_use(out->folder_.get(), kUnbounded, out->quota_.layered));
  }
  return out;
}

bool DiskWatch::note_free_space() {
  struct statvfs space {};
  if (fstatvfs(folder_.get(), &space) != 0) return false;
  free_blocks_before_ = space.f_bfree;
  free_files_before_ = space.f_ffree;
  return true;
}

void DiskWatch::attach(pid_t init) {
  init_ = init;
  if (!privileged_)
    user_namespace_.reset(open(cat("/proc/", init, "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
}

// Half of what is left of a limit gone from the whole file system; always, where it does not count.
bool DiskWatch::may_be_over() const {
  const auto left = [&](int64_t limit, int64_t used) {
    return quota_.whole ? limit - used : limit;
  };
  struct statvfs now {};
  if (!before_ || fstatvfs(folder_.get(), &now) != 0) return true;
  const auto taken = [](uint64_t before, uint64_t after) {
    return before > after ? static_cast<int64_t>(before - after) : 0;
  };
  const auto block = static_cast<int64_t>(now.f_frsize);
  if (quota_.bytes &&
      taken(free_blocks_before_, now.f_bfree) > left(*quota_.bytes, before_->bytes) / 2 / block)
    return true;
  return quota_.files && (now.f_files == 0 || taken(free_files_before_, now.f_ffree) >
                                                  left(*quota_.files, before_->files) / 2);
}

void DiskWatch::look(MonoTime now) {
  if (asked_ || now < rests_until_) return;
  if (ask_anyway_at_ == MonoTime()) ask_anyway_at_ = now + kAskAnyway;
  if (now < ask_anyway_at_ && !may_be_over()) return;
  ask_anyway_at_ = now + kAskAnyway;
  asked_at_ = now;
  if (!before_) (void)note_free_space();
  asked_ = ask();
}

bool DiskWatch::ask() {
  if (process_ < 0 && !start_process()) return false;
  return write(questions_.write.get(), "?", 1) == 1;
}

std::optional<DiskHit> DiskWatch::take(MonoTime now) {
  Answer answer;
  asked_ = false;
  if (read(answers_.read.get(), &answer, sizeof answer) != sizeof answer) answer.failed = EIO;
  rests_until_ = now + kRestFactor * (now - asked_at_);
  if (!before_ && answer.failed == 0) before_ = answer.use;
  return judge(answer);
}

std::optional<DiskHit> DiskWatch::look_back() {
  init_ = -1;
  const Answer mine = measure();
  if (!mine.use.unreadable || !user_namespace_.valid()) return judge(mine);
  // The process can read every folder of an ordinary user's command.
  while (asked_) (void)take(asked_at_);  // of when it still ran
  return ask() ? take(asked_at_) : judge(mine);
}

DiskUse DiskWatch::counted_from() const {
  return quota_.whole ? DiskUse{} : before_.value_or(DiskUse{});
}

std::optional<DiskHit> DiskWatch::judge(const Answer& answer) const {
  if (answer.failed != 0) return DiskHit::kUnmeasured;
  const DiskUse start = counted_from();
  if (quota_.files && answer.use.files - start.files > *quota_.files) return DiskHit::kFiles;
  if (quota_.bytes && answer.use.bytes - start.bytes > *quota_.bytes) return DiskHit::kBytes;
  return std::nullopt;
}

DiskWatch::Answer DiskWatch::measure() const {
  const int64_t most = quota_.files ? counted_from().files + *quota_.files : kUnbounded;
  const auto use = folder_use(folder_.get(), most, quota_.layered);
  if (!use.ok()) return {1, {}};
  struct stat info {};
  Answer out{0, *use};
  if (init_ > 0 && fstat(folder_.get(), &info) == 0)
    out.use.bytes += nameless_bytes(init_, info.st_dev, quota_.layered);
  return out;
}

bool DiskWatch::start_process() {
  auto questions = os::make_pipe();
  auto answers = os::make_pipe();
  if (!questions.ok() || !answers.ok()) return false;
  questions_ = std::move(questions).value();
  answers_ = std::move(answers).value();
  const pid_t launcher = getpid();
  process_ = fork();
  if (process_ == 0) measure_for_ever(launcher);
  return process_ > 0;
}

void DiskWatch::measure_for_ever(pid_t launcher) {
  if (user_namespace_.valid() && setns(user_namespace_.get(), CLONE_NEWUSER) != 0) _exit(1);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != launcher) _exit(1);
  // Nothing else of the launcher stays open here, above all not its lock.
  constexpr int kAbove = 64;
  const int kept[] = {folder_.release(), questions_.read.get(), answers_.write.get()};
  int moved[3];
  for (int i = 0; i < 3; ++i) moved[i] = fcntl(kept[i], F_DUPFD_CLOEXEC, kAbove);
  for (int i = 0; i < 3; ++i) {
    if (dup3(moved[i], i, O_CLOEXEC) < 0) _exit(1);
  }
  raw::close_range(3, ~0U);
  folder_.reset(0);
  char question = 0;
  while (read(1, &question, 1) == 1) {
    const Answer answer = measure();
    if (write(2, &answer, sizeof answer) != sizeof answer) break;
  }
  _exit(0);
}

}  // namespace paddock::sandbox

#include "node-agent/sandbox/linux/launcher/disk_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/launcher/disk_pace.h"
#include "node-agent/sandbox/linux/launcher/standstill.h"

namespace paddock::sandbox {
namespace {

constexpr Millis kAskAnyway{10'000};  // others may have freed what the run took
// How long counting may take: of a folder with millions of files, on a disk that others use too;
// and of the files that processes hold open, which they can draw out unless they stand still. If
// they do, a host with much else to do may take longer.
constexpr Millis kFolderTime{60'000};
constexpr Millis kProcessesTime{5'000};
constexpr Millis kStillProcessesTime{30'000};
constexpr char kMeasure = '?';
constexpr char kMeasureStill = '!';

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max() / 4;

// The bytes and files that the folder may hold, if it held `before` when the command began.
// `before` is empty where the whole folder counts and is not over its limits.
os::FolderUse allowed_by(const WorkspaceQuota& quota, const os::FolderUse& before) {
  const int64_t bytes = quota.bytes.value_or(kUnbounded);
  const int64_t files = quota.files.value_or(kUnbounded);
  if (quota.whole)
    return {.bytes = std::max(bytes, before.bytes), .files = std::max(files, before.files)};
  return {.bytes = before.bytes + bytes, .files = before.files + files};
}

// Descriptors of the process that measures.
constexpr int kMeasured = 0;
constexpr int kQuestions = 1;
constexpr int kAnswers = 2;

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
  // An earlier command of the session may have closed it.
  if (plan.workspace->whole) (void)os::open_closed_root(plan.workspace->folder);
  out->folder_.reset(raw::openat2(AT_FDCWD, plan.workspace->folder.c_str(),
                                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
                                  RESOLVE_NO_MAGICLINKS));
  const auto space = out->folder_.valid() ? out->free_space() : std::nullopt;
  if (!space) return step_error("opening the workspace", errno);
  out->space_before_ = out->space_at_last_ = out->space_at_known_ = *space;
  if (!out->quota_.whole || out->quota_.overfull) TRY(out->measure_before());
  out->known_ = out->before_.value_or(os::FolderUse{});
  out->allowed_ = allowed_by(out->quota_, out->before_.value_or(os::FolderUse{}));
  return out;
}

// Measures what can be seen from inside while the command runs, files that earlier commands closed
// among it.
Status DiskWatch::measure_before() {
  ASSIGN_OR_RETURN(last_, os::folder_use(folder_.get(), {.layered = quota_.layered,
                                                         .open_closed = quota_.overfull}));
  before_ = last_;
  return {};
}

std::optional<DiskWatch::Space> DiskWatch::free_space() const {
  struct statvfs info {};
  if (fstatvfs(folder_.get(), &info) != 0) return std::nullopt;
  return Space{static_cast<int64_t>(info.f_bfree * info.f_frsize),
               static_cast<int64_t>(info.f_ffree), info.f_files != 0};
}

void DiskWatch::attach(pid_t init, Cgroup& cgroup) {
  init_ = init;
  cgroup_ = &cgroup;
  if (!privileged_)
    user_namespace_.reset(open(cat("/proc/", init, "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
}

// Compares what is gone from the whole file system with the limits: half of a limit since the start
// means that the run may be over it, all that was left at the last count that it probably is.
DiskWatch::Growth DiskWatch::growth(const Space& now) const {
  if (!before_) return Growth::kUnknown;
  const int64_t files = now.counts_files ? allowed_.files : kUnbounded;
  if (space_at_last_.bytes - now.bytes > allowed_.bytes - last_.bytes ||
      space_at_last_.files - now.files > files - last_.files)
    return Growth::kOverSinceLast;
  if (space_before_.bytes - now.bytes > (allowed_.bytes - before_->bytes) / 2 ||
      space_before_.files - now.files > (files - before_->files) / 2)
    return Growth::kMayBeOver;
  return quota_.files && !now.counts_files ? Growth::kUnknown : Growth::kLittle;
}

void DiskWatch::look(MonoTime now) {
  const auto space = asked_ ? std::nullopt : free_space();
  if (!space) return;
  const Growth grown = growth(*space);
  // A run that is over its limit is measured again after as long as one count takes.
  const bool hurries = (grown == Growth::kOverSinceLast || doubt_.any()) &&
                       now - answered_at_ >= answered_at_ - asked_at_;
  if (now < rests_until_ && !hurries) return;
  if (ask_anyway_at_ == MonoTime()) ask_anyway_at_ = now + kAskAnyway;
  if (now < ask_anyway_at_ && grown == Growth::kLittle && !doubt_.any()) return;
  ask_anyway_at_ = now + kAskAnyway;
  asked_ = ask(now, *space, grown == Growth::kMayBeOver || grown == Growth::kOverSinceLast);
}

bool DiskWatch::ask(MonoTime now, const Space& space, bool still) {
  if (process_ < 0 && !start_process()) return false;
  asked_at_ = folder_counted_at_ = now;
  due_ = now + kFolderTime;
  space_asked_ = space;
  still_ = still && cgroup_ != nullptr && !cgroup_->frozen_file().empty();
  if (still_) cgroup_->freeze();
  const char question = still_ ? kMeasureStill : kMeasure;
  return write(questions_.write.get(), &question, 1) == 1;
}

std::optional<DiskHit> DiskWatch::overdue(MonoTime now) const {
  return asked_ && now >= due_ ? std::optional(DiskHit::kOverdue) : std::nullopt;
}

std::optional<DiskHit> DiskWatch::take(MonoTime now) {
  Answer answer;
  if (read(answers_.read.get(), &answer, sizeof answer) != sizeof answer) answer.failed = EIO;
  if (answer.failed == 0 && !answer.whole) {
    folder_counted_at_ = now;
    due_ = now + (still_ ? kStillProcessesTime : kProcessesTime);
    return judge(answer);  // what processes hold open only adds to it
  }
  asked_ = false;
  answered_at_ = now;
  rests_until_ = now + rest_after(folder_counted_at_ - asked_at_, now - folder_counted_at_, still_);
  if (answer.failed == 0) {
    last_ = answer.use;
    space_at_last_ = space_asked_;
    if (!before_) {
      before_ = answer.use;
      space_before_ = space_asked_;
    }
    if (!answer.uncounted) {
      known_ = answer.use;
      space_at_known_ = space_asked_;
    }
  }
  auto hit = judge(answer);
  if (doubt_.note(answer.uncounted && may_hide_too_much(), now) && !hit) hit = DiskHit::kOverdue;
  if (!hit) let_go_on();
  return hit;
}

// Whether more is gone from the file system than the run may still take, since all that it had was
// counted last: what others wrote before that is not its.
bool DiskWatch::may_hide_too_much() const {
  const bool bytes = space_at_known_.bytes - space_asked_.bytes > allowed_.bytes - known_.bytes;
  const bool files = space_at_known_.files - space_asked_.files > allowed_.files - known_.files;
  return bytes || (files && space_asked_.counts_files);
}

void DiskWatch::let_go_on() {
  if (std::exchange(still_, false)) cgroup_->thaw();
}

std::optional<DiskHit> DiskWatch::look_back() {
  init_ = -1;
  Answer mine = measure_folder();
  const bool counted = mine.failed == 0 && !mine.use.unreadable;
  if (counted || !user_namespace_.valid()) return judge(mine);
  // The measuring process can read every folder of an ordinary user's command, the workspace itself
  // too. An answer that is still on its way was asked for while the command ran, and is dropped.
  while (asked_) (void)take(asked_at_);
  if (!(asked_ = ask(asked_at_, space_at_last_, false))) return judge(mine);
  std::optional<DiskHit> hit;
  while (asked_) hit = take(asked_at_);
  return hit;
}

std::optional<DiskHit> DiskWatch::judge(const Answer& answer) const {
  if (answer.failed != 0) return DiskHit::kUnmeasured;
  if (quota_.files && answer.use.files > allowed_.files) return DiskHit::kFiles;
  if (quota_.bytes && answer.use.bytes > allowed_.bytes) return DiskHit::kBytes;
  return std::nullopt;
}

DiskWatch::Answer DiskWatch::measure_folder() const {
  const auto use =
      os::folder_use(folder_.get(), {.most_names = allowed_.files, .layered = quota_.layered});
  if (!use.ok()) return {.failed = 1, .whole = true, .use = {}};
  return {.failed = 0, .whole = init_ <= 0, .use = *use};
}

void DiskWatch::add_nameless(Answer& answer) const {
  struct stat info {};
  if (fstat(folder_.get(), &info) == 0) {
    const os::NamelessUse held =
        os::nameless_use(init_, info.st_dev, quota_.layered, {}, folder_.get());
    answer.use.bytes += held.bytes;
    answer.use.files += held.files;
    answer.uncounted = held.uncounted;
  }
  answer.whole = true;
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
  standstill::enter({folder_.release(), questions_.read.get(), answers_.write.get()},
                    standstill::open_state(cgroup_), user_namespace_.get(), launcher);
  folder_.reset(kMeasured);
  char question = 0;
  while (read(kQuestions, &question, 1) == 1) {
    if (question == kMeasureStill) standstill::wait();
    Answer answer = measure_folder();
    if (write(kAnswers, &answer, sizeof answer) != sizeof answer) break;
    if (answer.whole) continue;
    add_nameless(answer);
    if (write(kAnswers, &answer, sizeof answer) != sizeof answer) break;
  }
  standstill::let_all_end(0);
}

}  // namespace paddock::sandbox

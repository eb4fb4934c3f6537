// What a run takes of the node's disk, and its end where that is too much.
#include <algorithm>
#include <ctime>

#include "common/base/log.h"
#include "common/os/file.h"
#include "common/os/folder_use.h"
#include "node-agent/executor/run_life.h"

namespace paddock::executor {
namespace {

// How many names are counted of a run whose files nobody bounds: those that it brought and those
// that it makes.
constexpr int64_t kNamesCounted = 1'000'000;

// Not before any change of a file until now, and a tick of the kernel's ahead of some that follow.
int64_t file_time_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void RunLife::note_begin() { begun_ns_ = file_time_ns(); }

void RunLife::note_launcher() { launcher_pid_ = launcher_.identity ? launcher_.identity->pid : 0; }

void RunLife::note_accelerators(devices::Ledger::Hold hold) {
  accelerators_.emplace(std::move(hold));
  accelerator_ids_.with([&](auto& ids) { ids = accelerators_->ids(); });
}

std::vector<std::string> RunLife::held_accelerators() const {
  return accelerator_ids_.with([](const auto& ids) { return ids; });
}

std::optional<int64_t> RunLife::asked_disk() const {
  const auto& resources = assignment_.spec.resources;
  if (!resources || !resources->disk) return std::nullopt;
  return resources->disk->bytes;
}

int64_t RunLife::written(int64_t most_names) const {
  const int64_t since = begun_ns_;
  const auto root = os::open_root(folder_.workspace());
  if (since == kNotBegun || !root) return 0;
  const auto use = os::folder_use(
      root->get(), {.most_names = most_names, .layered = record_.layered, .since_ns = since});
  return use.ok() ? use->bytes : 0;
}

os::FolderUse RunLife::count(const std::function<bool()>& over) const {
  const int64_t since = begun_ns_;
  const auto root = os::open_root(folder_.workspace());
  if (since == kNotBegun) return {};
  // Closed, where its command is the agent's own user; or freed.
  if (!root) return {.unreadable = root.error().code != Code::kNotFound};
  std::vector<pid_t> tops;
  if (const pid_t launcher = launcher_pid_; launcher > 0) tops.push_back(launcher);
  const int64_t most = kNamesCounted + assignment_.policy.limits.file_count.value_or(0);
  return os::whole_use(
      root->get(), tops,
      {.most_names = most, .layered = record_.layered, .since_ns = since, .over = over});
}

// Who is ended is not told by what was so before, nor does that wait for somebody else's count.
os::FolderUse RunLife::taken() const {
  const MonoTime end = ports_.clock.mono() + os::kCountTime;
  return count([&] { return ports_.clock.mono() >= end; });
}

// Now or a little while ago (kept_count.h), for its owner, who asks as often as he likes.
os::FolderUse RunLife::taken_lately() const {
  return counted_->use([&] { return count({}); });
}

int64_t RunLife::written_as_asked() const {
  const auto asked = asked_disk();
  return asked ? std::min(*asked, written()) : 0;
}

void RunLife::free_files() {
  if (!recorded_) return;
  freed_.with([&](bool& freed) {
    if (freed) return;
    const Status removed = os::remove_tree(folder_.workspace());
    freed = removed.ok();
    if (!removed)
      log_warn("the files of an ended run could not be removed",
               {{"run", assignment_.run_uid}, {"error", removed.error().describe()}});
  });
}

void RunLife::end_for_disk(std::string why) {
  end_why_.with([&](std::string& now) { now = std::move(why); });
  ending_ = true;
  stop_.nudge();
}

// On the disk before it is killed: a later agent is to know why.
void RunLife::heed_disk() {
  std::string why = end_why_.with([](std::string& now) { return std::exchange(now, {}); });
  if (why.empty()) return;
  if (stop_.at_least(StopKind::kCancel)) return stop_.raise(StopKind::kKill);  // canceled it stays
  record_.beyond_disk = std::move(why);
  if (const Status stored = folder_.store(record_); !stored)
    log_warn("why a run is ended could not be recorded",
             {{"run", assignment_.run_uid}, {"error", stored.error().describe()}});
  stop_.raise(StopKind::kKill);
}

}  // namespace paddock::executor

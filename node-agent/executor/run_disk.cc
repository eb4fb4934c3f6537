#include "node-agent/executor/run_disk.h"

#include <algorithm>
#include <ctime>
#include <vector>

#include "common/base/log.h"
#include "common/os/file.h"

namespace paddock::executor {
namespace {

// How many names are counted of a run whose files nobody bounds: those that it brought and those
// that it makes.
constexpr int64_t kNamesCounted = 1'000'000;

// A time that is no earlier than any change of a file so far. It may be a tick of the kernel's
// clock later than some changes that follow.
int64_t file_time_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void RunDisk::begins() { begun_ns_ = file_time_ns(); }

void RunDisk::began(std::optional<int64_t> time_ms) { begun_ns_ = time_ms.value_or(0) * 1'000'000; }

std::optional<int64_t> RunDisk::asked() const {
  const auto& resources = run_.assignment.spec.resources;
  if (!resources || !resources->disk) return std::nullopt;
  return resources->disk->bytes;
}

int64_t RunDisk::written(int64_t most_names) const {
  const int64_t since = begun_ns_;
  const auto root = os::open_root(run_.folder.workspace());
  if (since == kNotBegun || !root) return 0;
  const auto use = os::folder_use(
      root->get(), {.most_names = most_names, .layered = run_.record.layered, .since_ns = since});
  return use.ok() ? use->bytes : 0;
}

os::FolderUse RunDisk::count(const std::function<bool()>& over) const {
  const int64_t since = begun_ns_;
  const auto root = os::open_root(run_.folder.workspace());
  if (since == kNotBegun) return {};
  // Closed, where its command is the agent's own user; or freed.
  if (!root) return {.unreadable = root.error().code != Code::kNotFound};
  std::vector<pid_t> tops;
  if (const pid_t launcher = launch_.pid(); launcher > 0) tops.push_back(launcher);
  const int64_t most = kNamesCounted + run_.assignment.policy.limits.file_count.value_or(0);
  return os::whole_use(
      root->get(), tops,
      {.most_names = most, .layered = run_.record.layered, .since_ns = since, .over = over});
}

// This count decides which run is ended, so it is made anew, and does not wait for a count by
// somebody else.
os::FolderUse RunDisk::taken() const {
  const MonoTime end = run_.ports.clock.mono() + os::kCountTime;
  return count([&] { return run_.ports.clock.mono() >= end; });
}

os::FolderUse RunDisk::taken_lately() const {
  return counted_->use([&] { return count({}); });
}

int64_t RunDisk::written_as_asked() const {
  const auto most = asked();
  return most ? std::min(*most, written()) : 0;
}

std::function<void(int64_t bytes, int64_t files)> RunDisk::adder() const {
  return [counted = counted_](int64_t bytes, int64_t files) { counted->add(bytes, files); };
}

void RunDisk::free_files() {
  freed_.with([&](bool& freed) {
    if (freed) return;
    const Status removed = os::remove_tree(run_.folder.workspace());
    freed = removed.ok();
    if (!removed)
      log_warn("the files of an ended run could not be removed",
               {{"run", run_.assignment.run_uid}, {"error", removed.error().describe()}});
  });
}

Status RunDisk::erase() {
  return freed_.with([&](bool&) { return run_.folder.erase(); });
}

}  // namespace paddock::executor

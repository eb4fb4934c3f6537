// What a run takes of the node's disk, and its end where that is too much.
#include <algorithm>
#include <ctime>

#include "common/base/log.h"
#include "common/os/file.h"
#include "node-agent/executor/run_life.h"

namespace paddock::executor {
namespace {

// Not before any change of a file until now, and a tick of the kernel's ahead of some that follow.
int64_t file_time_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void RunLife::note_begin() { begun_ns_ = file_time_ns(); }

std::optional<int64_t> RunLife::asked_disk() const {
  const auto& resources = assignment_.spec.resources;
  if (!resources || !resources->disk) return std::nullopt;
  return resources->disk->bytes;
}

int64_t RunLife::written(size_t most_names) const {
  const int64_t since = begun_ns_;
  const auto root = os::open_root(folder_.workspace());
  if (since == kNotBegun || !root) return 0;
  return os::bytes_of_files(root->get(), most_names, since);
}

int64_t RunLife::written_as_asked() const {
  const auto asked = asked_disk();
  return asked ? std::min(*asked, written()) : 0;
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

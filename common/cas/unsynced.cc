#include "common/cas/unsynced.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "common/os/file.h"
#include "common/os/file_times.h"
#include "common/os/process.h"
#include "common/os/sync.h"

namespace paddock::cas {
namespace {

constexpr int64_t kClockSlackS = 2;

std::string this_boot() {
  const auto self = os::identify(::getpid());
  return self ? self->boot_id : "unknown";
}

}  // namespace

Unsynced::Unsynced(std::string root)
    : root_(std::move(root)), marker_(os::join_path(root_, "unsynced")), boot_(this_boot()) {
  const Result<std::string> marked = os::read_file(marker_);
  state_.with([&](State& state) { state.marked = marked.ok() && *marked == boot_; });
}

bool Unsynced::must_check(int64_t& since_s) const {
  struct stat info = {};
  if (::stat(marker_.c_str(), &info) != 0) return false;
  since_s = os::modified_at(info).tv_sec - kClockSlackS;
  return !state_.with([](const State& state) { return state.marked; });
}

Status Unsynced::recovered() {
  TRY(flush());
  if (::unlink(marker_.c_str()) != 0) return system_error("checking blobs", errno);
  return {};
}

Status Unsynced::before_write() {
  return state_.with([&](State& state) -> Status {
    if (!state.marked) TRY(os::write_file_atomic(marker_, boot_));
    state.marked = true;
    ++state.writes;
    ++state.under_way;
    return {};
  });
}

void Unsynced::written() {
  state_.with([](State& state) { --state.under_way; });
}

Status Unsynced::sync() {
  const State before = state_.with([](State& state) { return state; });
  if (!before.marked) return {};
  TRY(flush());
  return state_.with([&](State& state) -> Status {
    // If others wrote meanwhile, or are about to, the mark stays. Another caller that waited too
    // may have removed it.
    if (!state.marked || before.under_way > 0 || state.writes != before.writes) return {};
    if (::unlink(marker_.c_str()) != 0) return system_error("synchronising blobs", errno);
    state.marked = false;
    return {};
  });
}

Status Unsynced::flush() const {
  ASSIGN_OR_RETURN(const os::Fd folder, os::open_root(root_));
  if (os::sync_file_system(folder.get()) != 0) return system_error("synchronising blobs", errno);
  return {};
}

}  // namespace paddock::cas

#include "node-agent/host/host_fault.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/sync.h"

namespace paddock::agent {
namespace {

constexpr Reason kDataFolderUnwritable = "DATA_FOLDER_UNWRITABLE";
constexpr Millis kStalledAfter{5'000};       // a disk that is only busy answers sooner, mostly
constexpr const char* kTouched = "touched";  // written to see whether it can be

// Writes one byte, flushes it and reads it back, always in the same place, so that it needs no room
// on a full disk. Some disks accept data that they do not keep, and some keep data that they cannot
// read: without this, a run would find that out only at its end.
Status try_the_disk(const std::string& data_dir) {
  const std::string path = os::join_path(data_dir, kTouched);
  const os::Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return system_error("opening a file of the data folder", errno);
  if (::pwrite(file.get(), "\n", 1, 0) != 1) return system_error("writing", errno);
  if (os::sync_all(file.get()) != 0) return system_error("keeping what was written", errno);
#ifdef POSIX_FADV_DONTNEED  // so that it is not read from memory
  (void)::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
#endif
  char byte = 0;
  const ssize_t got = ::pread(file.get(), &byte, 1, 0);
  if (got != 1) return system_error("reading what was written", got < 0 ? errno : EIO);
  return {};
}

}  // namespace

std::optional<Error> look_for_fault(const std::string& data_dir, const std::string& launcher) {
  if (const Status written = try_the_disk(data_dir); !written) {
    Error why = contracts::name_full_disk(written.error());
    if (why.reason == contracts::kNodeDiskFull) return std::nullopt;  // told of by its own name
    if (!contracts::is_host_fault(why)) why.reason = kDataFolderUnwritable;
    return why;
  }
  if (::access(launcher.c_str(), X_OK) == 0) return std::nullopt;
  return Error{Code::kUnavailable, contracts::kLauncherGone,
               "the sandbox launcher, paddock-sandbox, is not where the agent found it, or cannot "
               "be executed; install it again"};
}

std::optional<Error> HostTrial::look() {
  const MonoTime begun = clock_.mono();
  since_.with([&](auto& since) { since = begun; });
  std::optional<Error> fault = look_();
  since_.with([](auto& since) { since.reset(); });
  const Millis took = clock_.mono() - begun;
  if (fault || took < kStalledAfter) return fault;
  return Error{Code::kUnavailable, contracts::kDiskStalled,
               cat("the disk of the node's data folder took ", took.count() / 1000,
                   " seconds to keep one byte")};
}

std::optional<Error> HostTrial::stall() const {
  const auto since = since_.with([](const auto& begun) { return begun; });
  if (!since || clock_.mono() - *since < kStalledAfter) return std::nullopt;
  return Error{Code::kUnavailable, contracts::kDiskStalled,
               cat("the disk of the node's data folder has answered no write for ",
                   kStalledAfter.count() / 1000, " seconds")};
}

void tell_fault(contracts::NodeStatus& status, const std::optional<Error>& fault, WallTime now) {
  const auto is_fault = [](const contracts::Condition& each) {
    return each.type == contracts::kHostFault;
  };
  const auto known = std::ranges::find_if(status.conditions, is_fault);
  const std::string reason = known == status.conditions.end() ? "" : known->reason;
  if (reason == (fault ? fault->reason : Reason())) return;
  std::erase_if(status.conditions, is_fault);
  if (!fault) return;
  status.conditions.push_back({.type = contracts::kHostFault,
                               .status = "True",
                               .reason = fault->reason,
                               .message = cat(fault->message, "; runs come back by themselves"),
                               .last_transition_time = wire::Timestamp{now}});
}

}  // namespace paddock::agent

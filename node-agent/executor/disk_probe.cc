#include "node-agent/executor/disk_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/contracts/launch.h"
#include "common/contracts/node.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/sync.h"

namespace paddock::executor {
namespace {

// A short write is a full disk; some disks tell of a fault only once it is to be kept.
Status write_and_keep(const std::string& path) {
  const os::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return system_error("opening a file of the run", errno);
  const std::string bytes(contracts::kResultRoom, 'x');
  const ssize_t wrote = ::pwrite(file.get(), bytes.data(), bytes.size(), 0);
  if (wrote < 0) return system_error("writing a file of the run", errno);
  if (wrote < static_cast<ssize_t>(bytes.size()))
    return system_error("writing a file of the run", ENOSPC);
  if (os::sync_all(file.get()) != 0) return system_error("keeping a file of the run", errno);
  return {};
}

}  // namespace

std::optional<Error> disk_fault(const std::string& folder) {
  const std::string path = os::join_path(folder, "probe");
  const Status written = write_and_keep(path);
  (void)::unlink(path.c_str());
  if (written.ok()) return std::nullopt;
  Error named = contracts::name_full_disk(written.error());
  if (!contracts::is_host_fault(named)) return std::nullopt;
  return named;
}

}  // namespace paddock::executor

#include "controller/app/check_places.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/lock_file.h"
#include "controller/http_server/listener.h"

namespace paddock::app {
namespace {

constexpr size_t kTriedBytes = size_t{64} << 10;

Error unwritable(int errno_value) {
  Error cause = system_error("writing a file there", errno_value);
  if (errno_value == ENOSPC || errno_value == EDQUOT)
    return Error{Code::kResourceExhausted, "DISK_FULL", "the disk of the folder is full"}.within(
        cause.describe());
  if (cause.reason == kDiskReadOnlyReason || cause.reason == kDiskFailsReason) return cause;
  return Error{Code::kFailedPrecondition, "STORE_UNWRITABLE",
               "the controller's user may not write there"}
      .within(cause.describe());
}

// Some file systems have no files without a name: then its mode has to do.
Status write_without_name(const std::string& folder) {
  const os::Fd file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!file.valid() && (errno == EOPNOTSUPP || errno == EISDIR))
    return ::access(folder.c_str(), W_OK | X_OK) == 0 ? Status() : Status(unwritable(errno));
  if (!file.valid()) return unwritable(errno);
  const std::vector<char> bytes(kTriedBytes, 'x');
  const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
  if (written < 0) return unwritable(errno);
  if (static_cast<size_t>(written) < bytes.size()) return unwritable(ENOSPC);
  return ::fsync(file.get()) == 0 ? Status() : Status(unwritable(errno));
}

}  // namespace

Status try_folder(const std::string& path) {
  std::string folder = path;
  while (!os::exists(folder) && folder.size() > 1) folder = os::folder_of(folder);
  return write_without_name(folder.empty() ? "/" : folder);
}

Status try_port(const std::string& host, int port, bool loopback_alone) {
  http_server::ListenAddress address;
  address.host = host;
  address.port = port;
  if (!loopback_alone) address.tls.emplace();
  return http_server::Listener::try_address(address);
}

bool runs_here(const Config& config) {
  const std::string lock = os::join_path(config.data_dir, "controller.lock");
  return os::exists(lock) && os::LockFile::held(lock);
}

}  // namespace paddock::app

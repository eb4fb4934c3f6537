#include "controller/app/check_places.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/lock_file.h"

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

// Finds the same faults as make_dirs() does. Below /proc, for example, ENOENT means that nothing
// can be made.
Status make_and_remove(const std::string& folder) {
  std::string made = os::join_path(folder, ".paddock-check-XXXXXX");
  if (::mkdtemp(made.data()) != nullptr)
    return ::rmdir(made.c_str()) == 0 ? Status() : Status(unwritable(errno));
  if (errno != ENOENT) return unwritable(errno);
  return Error{Code::kFailedPrecondition, "FOLDER_IMPOSSIBLE",
               "nothing can be made there; choose another place, such as a folder on a disk"};
}

// Some file systems have no files without a name.
Status write_without_name(const std::string& folder) {
  const os::Fd file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!file.valid() && (errno == EOPNOTSUPP || errno == EISDIR)) return make_and_remove(folder);
  if (!file.valid()) return unwritable(errno);
  const std::vector<char> bytes(kTriedBytes, 'x');
  const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
  if (written < 0) return unwritable(errno);
  if (static_cast<size_t>(written) < bytes.size()) return unwritable(ENOSPC);
  return ::fsync(file.get()) == 0 ? Status() : Status(unwritable(errno));
}

// The nearest folder above that is there. What has a name and leads nowhere is not missing.
Result<std::string> folder_that_is_there(const std::string& path) {
  std::string folder = path;
  struct stat info = {};
  while (::stat(folder.c_str(), &info) != 0) {
    if (errno != ENOENT || os::exists(folder)) return unwritable(errno);
    folder = os::folder_of(folder);
  }
  return folder;
}

// Refuses names that are too long for the file system. Names that do not exist yet are tested by
// nothing else.
Status check_names(const std::string& folder, std::string_view missing) {
  const long most = ::pathconf(folder.c_str(), _PC_NAME_MAX);
  const auto is_too_long = [&](const std::string& name) {
    return most > 0 && name.size() > static_cast<size_t>(most);
  };
  if (!std::ranges::any_of(split(missing, '/'), is_too_long)) return {};
  return unwritable(ENAMETOOLONG);
}

}  // namespace

Status try_folder(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string folder, folder_that_is_there(path));
  TRY(check_names(folder, std::string_view(path).substr(folder.size())));
  return write_without_name(folder);
}

Result<Taken> try_port(const std::string& host, int port, bool loopback_alone) {
  http_server::ListenAddress address;
  address.host = host;
  address.port = port;
  if (!loopback_alone) address.tls.emplace();
  return http_server::Listener::take_address(address);
}

namespace {

std::string lock_of(const Config& config) {
  return os::join_path(config.data_dir, "controller.lock");
}

}  // namespace

// Opens the lock as os::LockFile::acquire() does, but does not create the file.
Status try_lock(const Config& config) {
  const std::string path = lock_of(config);
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0) return {};
  if (!S_ISREG(info.st_mode))
    return Error{Code::kFailedPrecondition, "STORE_NOT_OURS",
                 "controller.lock in the data folder is no regular file"};
  const os::Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return file.valid() || errno == ENOENT ? Status() : Status(unwritable(errno));
}

bool runs_here(const Config& config) {
  return try_lock(config).ok() && os::exists(lock_of(config)) &&
         os::LockFile::held(lock_of(config));
}

}  // namespace paddock::app

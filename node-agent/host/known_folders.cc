#include "node-agent/host/known_folders.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/sync.h"
#include "node-agent/host/host_fault.h"

namespace paddock::agent {
namespace {

constexpr std::array<std::string_view, 7> kNames = {
    "cas", "trees", "runs", "sessions", "sandbox", "sandbox-sessions", "sandbox-snippets"};
constexpr size_t kLeastRoom = 4096;  // a page, which is what a full disk refuses

// A file without a name: a list of the folder never has it, and nothing stays behind.
os::Fd unnamed_in(const std::string& folder) {
#ifdef O_TMPFILE
  return os::Fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
#else
  errno = EOPNOTSUPP;
  return os::Fd();
#endif
}

Status try_to_write(const std::string& folder) {
  if (::access(folder.c_str(), W_OK) != 0) return system_error("writing into it", errno);
  const os::Fd file = unnamed_in(folder);
  const int why = errno;
  if (!file.valid() && (why == EOPNOTSUPP || why == EISDIR || why == ENOENT)) return {};
  if (!file.valid()) return system_error("making a file in it", why);
  const std::string page(kLeastRoom, 'x');
  const ssize_t wrote = ::write(file.get(), page.data(), page.size());
  if (wrote < 0) return system_error("writing into it", errno);
  if (static_cast<size_t>(wrote) < page.size()) return system_error("writing into it", ENOSPC);
  if (os::sync_all(file.get()) != 0) return system_error("keeping what was written", errno);
  return {};
}

Error replaced(const std::string& name, bool is_there) {
  Error out;
  out.code = Code::kUnavailable;
  out.reason = kDataFolderUnwritable;
  out.message =
      cat("the folder ", name, " of the agent's data folder ",
          is_there ? "is not the one that the agent began with: what was mounted there is "
                     "gone, or something lies over it"
                   : "is not there any more",
          "; put it back, or start the agent again");
  return out;
}

}  // namespace

KnownFolders::KnownFolders(const std::string& data_dir) {
  for (const std::string_view name : kNames) {
    std::string path = os::join_path(data_dir, std::string(name));
    if (const auto identity = os::identity_of(path))
      folders_.push_back({std::string(name), std::move(path), *identity});
  }
}

std::optional<Error> KnownFolders::fault() const {
  for (const Folder& each : folders_) {
    const auto now = os::identity_of(each.path);
    if (now != each.identity) return replaced(each.name, now.has_value());
    const Status written = try_to_write(each.path);
    if (written.ok()) continue;
    Error why = contracts::name_full_disk(written.error());
    if (!contracts::is_host_fault(why)) why.reason = kDataFolderUnwritable;
    why.code = Code::kUnavailable;
    why.message = cat("the folder ", each.name, " of the agent's data folder: ", why.message);
    return why;
  }
  return std::nullopt;
}

}  // namespace paddock::agent

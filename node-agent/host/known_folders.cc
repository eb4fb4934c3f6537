#include "node-agent/host/known_folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/file_names.h"
#include "common/os/sync.h"

namespace paddock::agent {
namespace {

// What every run needs. Environments and sessions are needed by some.
constexpr std::array<std::string_view, 3> kNames = {"cas", "trees", "runs"};
constexpr size_t kPage = 4096;  // which a full disk refuses

// Whether an error speaks of the folder's disk. Others, as of a process with too many open files,
// say nothing of it.
bool is_of_disk(int why) {
  return why == EROFS || why == EIO || why == ENOSPC || why == EDQUOT || why == ESTALE ||
         why == ENOTCONN;
}

Status fault_of(std::string_view doing, int why) {
  return is_of_disk(why) ? Status(system_error(doing, why)) : Status();
}

// A page without a name: no list of the folder has it, and nothing stays behind.
Status keep_a_page(const std::string& folder) {
  const os::Fd file = os::nameless_file(folder);
  if (!file.valid()) return fault_of("making a file in it", errno);
  const std::string page(kPage, 'x');
  size_t kept = 0;
  while (kept < kPage) {  // a disk that takes a part says with the next one why
    const ssize_t wrote = ::pwrite(file.get(), page.data(), kPage - kept, static_cast<off_t>(kept));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return fault_of("writing into it", wrote < 0 ? errno : ENOSPC);
    kept += static_cast<size_t>(wrote);
  }
  if (os::sync_all(file.get()) != 0) return fault_of("keeping what was written", errno);
  return {};
}

Error named(std::string_view folder, Error why) {
  why = contracts::name_full_disk(std::move(why));
  if (!contracts::is_host_fault(why) || why.reason == Reason("STORE_IO"))
    why.reason = Reason("DATA_FOLDER_UNWRITABLE");
  why.code = Code::kUnavailable;
  why.message = cat("the folder ", folder, " of the agent's data folder: ", why.message);
  return why;
}

}  // namespace

// Of the same disk `touched` has told already; of each other one a page does.
Status KnownFolders::try_folder(const std::string& path, dev_t own_disk,
                                std::set<dev_t>& tried) const {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return fault_of("looking at it", errno);
  if (::access(path.c_str(), W_OK) != 0 && errno == EROFS)
    return system_error("writing into it", EROFS);
  if (info.st_dev == own_disk || !tried.insert(info.st_dev).second) return {};
  return keep_a_page(path);
}

// One that is not there is made by the next run that needs it, except for the cache.
std::optional<Error> KnownFolders::look_once() const {
  if (const Status there = cache_(); !there.ok()) {
    Error why = named("cas", there.error());
    why.message += "; put it back, or start the agent again";
    return why;
  }
  struct stat own = {};
  if (::stat(data_dir_.c_str(), &own) != 0) return std::nullopt;  // told of by its own name
  std::set<dev_t> tried;
  for (const std::string_view name : kNames) {
    const Status usable =
        try_folder(os::join_path(data_dir_, std::string(name)), own.st_dev, tried);
    if (!usable.ok()) return named(name, usable.error());
  }
  return std::nullopt;
}

std::optional<Error> KnownFolders::look() {
  std::optional<Error> fault = look_once();
  const bool lasts = std::exchange(was_faulty_, fault.has_value());
  return lasts ? fault : std::nullopt;
}

}  // namespace paddock::agent

// The part of BlobStore that lists blobs, knows when they were used last, and removes them.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "common/os/file.h"
#include "common/os/file_times.h"

namespace paddock::cas {
namespace {

constexpr int64_t kUseStepS = 600;  // the time of use is not written more often

bool is_shard(const std::string& name) {
  return name.size() == 2 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

bool BlobStore::use(const Digest& digest) const {
  struct stat info = {};
  if (!contracts::is_digest(digest)) return false;
  const std::string path = blob_path(digest);
  if (::lstat(path.c_str(), &info) != 0 || !is_there()) return false;
  if (::time(nullptr) - os::modified_at(info).tv_sec < kUseStepS) return true;
  return ::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<std::vector<BlobStore::Stored>> BlobStore::list() const {
  TRY(check_there());
  std::vector<Stored> out;
  ASSIGN_OR_RETURN(const std::vector<std::string> shards, os::list_dir(root_));
  for (const std::string& shard : shards) {
    if (!is_shard(shard)) continue;
    const std::string folder = os::join_path(root_, shard);
    ASSIGN_OR_RETURN(const std::vector<std::string> names, os::list_dir(folder));
    for (const std::string& name : names) {
      struct stat info = {};
      if (!contracts::is_digest(name) || ::lstat(os::join_path(folder, name).c_str(), &info) != 0)
        continue;
      out.push_back({name, int64_t{info.st_size}, int64_t{os::modified_at(info).tv_sec}});
    }
  }
  return out;
}

// Taken aside first and looked at again: a use between the look and the removal brings it back.
Result<bool> BlobStore::remove_unused(const Digest& digest, int64_t used_s) const {
  TRY(check_there());
  static std::atomic<uint64_t> counter{0};
  const std::string path = blob_path(digest);
  const std::string aside = cat(root_, "/tmp/gone-", ::getpid(), "-", counter++);
  struct stat info = {};
  if (!contracts::is_digest(digest) || ::lstat(path.c_str(), &info) != 0) return true;
  if (os::modified_at(info).tv_sec > used_s) return false;
  if (::rename(path.c_str(), aside.c_str()) != 0) return system_error("removing a blob", errno);
  if (::lstat(aside.c_str(), &info) == 0 && os::modified_at(info).tv_sec > used_s) {
    if (::rename(aside.c_str(), path.c_str()) != 0) return system_error("keeping a blob", errno);
    return false;
  }
  if (::unlink(aside.c_str()) != 0) return system_error("removing a blob", errno);
  *growth_ -= info.st_size;
  return true;
}

}  // namespace paddock::cas

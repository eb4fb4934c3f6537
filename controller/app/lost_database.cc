#include "controller/app/lost_database.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/os/fd.h"
#include "common/os/file.h"
#include "controller/app/open_blobs.h"

namespace paddock::app {
namespace {

int64_t size_of(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

// As SQLite's file format has it: nobody has made a table there, and no log beside it may have one.
bool is_empty_database(const std::string& path) {
  constexpr off_t kUserVersion = 60;
  std::array<char, 4> version{};
  const os::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.valid() && !os::is_regular_file(file)) return false;  // whatever it is, it is not lost
  const ssize_t got =
      file.valid() ? ::pread(file.get(), version.data(), version.size(), kUserVersion) : 0;
  const bool none = got == 0 || std::ranges::all_of(version, [](char byte) { return byte == 0; });
  return none && size_of(path + "-wal") == 0;
}

bool has_blobs(const std::string& root) {
  constexpr size_t kShardName = 2;
  const auto shards = os::list_dir(root);
  if (!shards) return false;
  return std::ranges::any_of(*shards, [&](const std::string& shard) {
    if (shard.size() != kShardName) return false;
    const auto names = os::list_dir(os::join_path(root, shard));
    return names.ok() && !names->empty();
  });
}

}  // namespace

Status check_database_is_there(const std::string& data_dir) {
  if (!is_empty_database(os::join_path(data_dir, "paddock.db"))) return {};
  if (os::exists(os::join_path(data_dir, "store-holder")))
    return Error{
        Code::kFailedPrecondition, "STORE_MISSING",
        "the store of this data folder is or was in a PostgreSQL database, as it has the file "
        "store-holder: set store.postgres again, or use the data folder that the store was moved "
        "to; or remove store-holder to begin a new instance, with new tokens"};
  if (!has_blobs(os::join_path(data_dir, "blobs")) && !os::exists(bucket_mark(data_dir))) return {};
  return Error{
      Code::kFailedPrecondition, "STORE_MISSING",
      "the data folder has the files of an instance, and its database paddock.db is missing "
      "or empty (or was in paddock.db-wal, which is missing): restore them from a backup, "
      "or remove the folder blobs, and bucket-id where files lie in a bucket, to begin a new "
      "instance, which knows none of them"};
}

}  // namespace paddock::app

#include "controller/app/lost_database.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "controller/app/open_blobs.h"

namespace paddock::app {
namespace {

// For a file that is there but cannot be looked at. One that is missing is no error here.
Error unreadable(const std::string& path, Error why) {
  return Error{
      Code::kUnavailable, "STORE_IO",
      cat("whether there is a database cannot be told: ", path, " cannot be read: ", why.message)};
}

Result<bool> has_content(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0) return info.st_size > 0;
  if (errno == ENOENT) return false;
  return unreadable(path, system_error("looking at it", errno));
}

// Reads our schema version from its place in SQLite's file format. 0 means that no table was made.
Result<bool> is_without_tables(const std::string& path) {
  constexpr off_t kUserVersion = 60;
  std::array<char, 4> version{};
  const os::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid() && errno == ENOENT) return true;
  if (!file.valid()) return unreadable(path, system_error("opening it", errno));
  if (!os::is_regular_file(file)) return false;  // whatever it is, it is not lost
  const ssize_t got = ::pread(file.get(), version.data(), version.size(), kUserVersion);
  if (got < 0) return unreadable(path, system_error("reading it", errno));
  return std::ranges::all_of(version, [](char byte) { return byte == 0; });
}

// And no log beside it may have one.
Result<bool> is_empty_database(const std::string& path) {
  ASSIGN_OR_RETURN(const bool none, is_without_tables(path));
  if (!none) return false;
  ASSIGN_OR_RETURN(const bool logged, has_content(path + "-wal"));
  return !logged;
}

// The names in a folder; none where there is no folder.
Result<std::vector<std::string>> names_in(const std::string& folder) {
  auto names = os::list_dir(folder);
  if (names.ok()) return names;
  if (names.error().code == Code::kNotFound) return std::vector<std::string>();
  return unreadable(folder, names.error());
}

Result<bool> has_blobs(const std::string& root) {
  constexpr size_t kShardName = 2;
  ASSIGN_OR_RETURN(const auto shards, names_in(root));
  for (const std::string& shard : shards) {
    if (shard.size() != kShardName) continue;
    ASSIGN_OR_RETURN(const auto names, names_in(os::join_path(root, shard)));
    if (!names.empty()) return true;
  }
  return false;
}

}  // namespace

Status check_database_is_there(const std::string& data_dir) {
  ASSIGN_OR_RETURN(const bool empty, is_empty_database(os::join_path(data_dir, "paddock.db")));
  if (!empty) return {};
  ASSIGN_OR_RETURN(const bool elsewhere, os::is_there(os::join_path(data_dir, "store-holder")));
  if (elsewhere)
    return Error{
        Code::kFailedPrecondition, "STORE_MISSING",
        "the store of this data folder is or was in a PostgreSQL database, as it has the file "
        "store-holder: set store.postgres again, or use the data folder that the store was moved "
        "to; or remove store-holder to begin a new instance, with new tokens"};
  ASSIGN_OR_RETURN(const bool blobs, has_blobs(os::join_path(data_dir, "blobs")));
  ASSIGN_OR_RETURN(const bool in_bucket, os::is_there(bucket_mark(data_dir)));
  if (!blobs && !in_bucket) return {};
  return Error{
      Code::kFailedPrecondition, "STORE_MISSING",
      "the data folder has the files of an instance, and its database paddock.db is missing "
      "or empty (or was in paddock.db-wal, which is missing): restore them from a backup, "
      "or remove the folder blobs, and bucket-id where files lie in a bucket, to begin a new "
      "instance, which knows none of them"};
}

}  // namespace paddock::app

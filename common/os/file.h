// Files by path for our own state, and files beneath a root for everything that came from outside.
// Error messages name the base name only, never a whole host path.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/os/fd.h"

namespace paddock::os {

// --- our own state and configuration: paths that we or operators chose ---
// Reads a regular file. A FIFO is refused, because if nobody writes to it the start of a program
// would never end. InvalidArgument, NOT_A_REGULAR_FILE: a folder, a FIFO, a device. Names of
// descriptors are read to their end: `/dev/stdin`, `/dev/null`, and `/dev/fd/63`, as a shell calls
// its `<(…)`. What people name on a command line is for read_stream() (read_stream.h).
Result<std::string> read_file(const std::string& path, size_t limit = size_t{64} << 20);
// Complete or not at all: a temporary sibling, fsync, rename, fsync of the folder.
Status write_file_atomic(const std::string& path, std::string_view bytes, mode_t mode = 0600);
// The same for every reader, and whatever kills this process; a loss of power may tear it.
Status replace_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);
// Within one file system; the new name outlives a loss of power.
Status rename_durably(const std::string& from, const std::string& to);
Status make_dirs(const std::string& path, mode_t mode = 0700);
// Removes a folder and all below it without following links or crossing mounts, however deep it is
// and whatever modes its folders have; a missing one is fine. FailedPrecondition, MOUNT_IN_TREE, at
// a mount.
Status remove_tree(const std::string& path);
// The same of a folder by its name in another one.
Status remove_folder(int parent, const std::string& name);
bool exists(const std::string& path);
// The same for those who act on there being none: where that cannot be known (EACCES, EIO) it is an
// error.
Result<bool> is_there(const std::string& path);
// Names in a folder, sorted, without . and ..
Result<std::vector<std::string>> list_dir(const std::string& path);
// The texts of a folder's files that end with `suffix`, by name without it.
Result<std::map<std::string, std::string>> read_folder(const std::string& path,
                                                       std::string_view suffix, size_t limit);
std::string join_path(std::string_view folder, std::string_view name);
std::string base_name(std::string_view path);
// "." for a path without a slash.
std::string folder_of(const std::string& path);

// --- paths from outside: resolved by the kernel, beneath a root, no symlink followed ---
// openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS); on macOS, O_NOFOLLOW_ANY.
// Refusals are InvalidArgument: LINK_IN_PATH, PATH_OUTSIDE_ROOT, BAD_PATH, NOT_A_REGULAR_FILE.
Result<Fd> open_root(const std::string& folder);
// The same of a folder of ours in which code that nobody trusts was our user, and may have closed
// it to us: mode 0700, which stays, comes back where r or x of our own are missing.
Result<Fd> open_closed_root(const std::string& folder);
Result<Fd> open_beneath(int root, const std::string& relative, int flags, mode_t mode = 0);
// Opens a regular file for reading; refuses links, devices, FIFOs and folders without blocking.
Result<Fd> open_regular_beneath(int root, const std::string& relative);
struct RegularFile {
  Fd fd;
  struct stat stat;  // st_nlink > 1: the file has another name, perhaps outside the root
};
Result<RegularFile> open_regular_file_beneath(int root, const std::string& relative);
// The same, but links are followed as long as they stay beneath the root.
Result<RegularFile> open_linked_file_beneath(int root, const std::string& relative);
// The text of a link whose folder is beneath the root.
Result<std::string> read_link_beneath(int root, const std::string& relative);
// Copies all of `from` to the empty file `to`: by reference where the filesystem can (reflink),
// else in the kernel, else by reading and writing.
Status copy_contents(int from, int to);
// Creates the parent folders of `relative` beneath root.
Status make_parents_beneath(int root, const std::string& relative);

struct WalkEntry {
  std::string path;  // relative to the root
  struct stat stat;  // of the entry itself, links not followed
};
// For trees of somebody who would like the walk to take our memory or our time.
struct WalkBounds {
  // Bounds the names that are kept at once, those of one folder and of the folders above it. Each
  // counts as its bytes and 64. A folder's names take at most half of what is left, so that
  // something remains for the folders below; the names that do not fit, the last ones listed, are
  // passed over.
  int64_t kept_bytes = INT64_MAX;
  // Asked often, also while a folder is listed. Once it says so the walk ends early.
  std::function<bool()> interrupted = {};
};
// Visits everything beneath root in bytewise order per folder, parents first; never follows links.
// Return false from `visit` on a folder to skip what is below it. A folder whose path is longer
// than the kernel can open ends the walk with TooLarge, reason TREE_TOO_DEEP. Returns how many
// names were passed over.
Result<int64_t> walk(int root, const std::function<bool(const WalkEntry&)>& visit,
                     const WalkBounds& bounds = {});

}  // namespace paddock::os

#include "common/os/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>

#include "common/base/text.h"
#include "common/os/read_stream.h"
#include "common/os/sync.h"

namespace paddock::os {
namespace {

// A new file beside `path` under a name that nobody has.
Result<Fd> create_sibling(const std::string& path, mode_t mode, std::string& name) {
  static std::atomic<uint64_t> counter{0};
  while (true) {
    name = cat(folder_of(path), "/.", base_name(path), ".", ::getpid(), ".", counter++, ".tmp");
    Fd fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (fd.valid()) return fd;
    if (errno != EEXIST) return system_error(cat("creating ", base_name(path)), errno);
  }
}

Status sync_folder(const std::string& folder) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || sync_all(fd.get()) != 0) {
    return system_error(cat("writing the folder ", base_name(folder)), errno);
  }
  return {};
}

Status rename_to(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return system_error(cat("renaming ", base_name(from)), errno);
  return {};
}

Status fill(const Fd& fd, std::string_view bytes, mode_t mode, bool durable) {
  TRY(write_all(fd.get(), bytes));
  if (::fchmod(fd.get(), mode) != 0) return system_error("setting a file's mode", errno);
  if (durable && sync_all(fd.get()) != 0) return system_error("storing a file", errno);
  return {};
}

Status replace(const std::string& path, std::string_view bytes, mode_t mode, bool durable) {
  std::string temporary;
  ASSIGN_OR_RETURN(const Fd fd, create_sibling(path, 0600, temporary));
  Status done = fill(fd, bytes, mode, durable);
  if (done) done = durable ? rename_durably(temporary, path) : rename_to(temporary, path);
  if (done) return {};
  ::unlink(temporary.c_str());
  return std::move(done).within(cat("writing ", base_name(path)));
}

// The folder above exists, so "not found" for ENOENT would be of no help.
Error not_made(const std::string& folder, int failure) {
  if (failure != ENOENT) return system_error(cat("creating the folder ", folder), failure);
  return {Code::kFailedPrecondition, "FOLDER_IMPOSSIBLE",
          cat("no folder ", folder,
              " can be made there; choose another place, such as a folder on a disk")};
}

bool names_descriptor(const std::string& path) {
  return path == "/dev/stdin" || path == "/dev/null" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe (FIFO)";
  return "a device";
}

Status check_regular(const Fd& file, const std::string& name) {
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) return system_error(cat("looking at ", name), errno);
  if (S_ISREG(info.st_mode)) return {};
  return invalid_argument("NOT_A_REGULAR_FILE",
                          cat(name, " is ", kind_of(info.st_mode), " and no regular file"));
}

}  // namespace

Result<std::string> read_file(const std::string& path, size_t limit) {
  if (names_descriptor(path)) return read_stream(path, limit);
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return system_error(cat("opening ", base_name(path)), errno);
  TRY(check_regular(fd, base_name(path)));
  return read_all(fd.get(), limit).within(cat("reading ", base_name(path)));
}

Result<std::string> read_stream(const std::string& path, size_t limit) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return system_error(cat("opening ", base_name(path)), errno);
  return read_all(fd.get(), limit).within(cat("reading ", base_name(path)));
}

Status write_file_atomic(const std::string& path, std::string_view bytes, mode_t mode) {
  return replace(path, bytes, mode, true);
}

Status replace_file(const std::string& path, std::string_view bytes, mode_t mode) {
  return replace(path, bytes, mode, false);
}

Status rename_durably(const std::string& from, const std::string& to) {
  TRY(rename_to(from, to));
  return sync_folder(folder_of(to));
}

Status make_dirs(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) return {};  // the usual case: only the last part is new
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST && errno != EISDIR) {
      // Read-only or closed parents are fine as long as the folder is there.
      const int failure = errno;
      if (!exists(part)) return not_made(base_name(part), failure);
    }
    if (slash == std::string::npos) break;
  }
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    return system_error(cat("creating the folder ", base_name(path)), errno);
  }
  if (!S_ISDIR(info.st_mode)) {
    return system_error(cat("creating the folder ", base_name(path)), ENOTDIR);
  }
  return {};
}

bool exists(const std::string& path) {
  struct stat info = {};
  return ::lstat(path.c_str(), &info) == 0;
}

Result<bool> is_there(const std::string& path) {
  struct stat info = {};
  if (::lstat(path.c_str(), &info) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return system_error(cat("looking for ", base_name(path)), errno);
}

Result<std::vector<std::string>> list_dir(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(path.c_str()), &::closedir);
  const std::string doing = cat("listing ", base_name(path));
  if (!dir) return system_error(doing, errno);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return system_error(doing, errno);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::map<std::string, std::string>> read_folder(const std::string& path,
                                                       std::string_view suffix, size_t limit) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, list_dir(path));
  std::map<std::string, std::string> texts;
  for (const std::string& name : names) {
    if (!name.ends_with(suffix)) continue;
    ASSIGN_OR_RETURN(texts[name.substr(0, name.size() - suffix.size())],
                     read_file(join_path(path, name), limit));
  }
  return texts;
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  return folder.ends_with('/') ? cat(folder, name) : cat(folder, "/", name);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/") return "/";
  const size_t slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace paddock::os

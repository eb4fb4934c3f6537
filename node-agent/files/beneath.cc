#include "node-agent/files/beneath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::files {
namespace {

using contracts::FileAnswer;

constexpr size_t kMostListed = 10'000;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

Error not_found() { return {Code::kNotFound, "FILE_NOT_FOUND", "there is no such file"}; }

Error something_else() {
  return invalid_argument("NOT_A_REGULAR_FILE", "there is something else at this path");
}

const char* type_of(const struct stat& info) {
  if (S_ISREG(info.st_mode)) return "file";
  if (S_ISDIR(info.st_mode)) return "folder";
  return S_ISLNK(info.st_mode) ? "link" : "other";
}

Error not_allowed() {
  return {Code::kFailedPrecondition, "FILE_NOT_ALLOWED",
          "the modes of the files that are there do not allow that"};
}

}  // namespace

// Folders and files change while they are looked at: that is the session's doing, not our failure.
Error as_answer(Error error) {
  if (error.code == Code::kNotFound) return not_found();
  if (error.reason == "PATH_NOT_A_FOLDER") return something_else();
  if (error.code == Code::kPermissionDenied) return not_allowed();
  return error;
}

// The caller's error for a failed step; it does not show the path.
Error failed(std::string_view doing, int number) {
  switch (number) {
    case ENOENT:
      return not_found();
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
    case ENXIO:
      return something_else();
    case EEXIST:
      return {Code::kAlreadyExists, "FILE_EXISTS", "there is something at this path"};
    case EACCES:
    case EPERM:
      return not_allowed();
    case ELOOP:
      return invalid_argument(
          "LINK_IN_PATH",
          "a symbolic link is on the way; a command in the sandbox (`cat PATH`) reads "
          "through it");
    case ENAMETOOLONG:
      return invalid_argument("BAD_PATH", "the path is too long");
    default:
      return system_error(doing, number);
  }
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

Result<os::Fd> open_folder(int root, const std::string& path) {
  auto opened =
      path.empty() ? os::open_beneath(root, ".", kFolder) : os::open_beneath(root, path, kFolder);
  if (!opened.ok()) return as_answer(opened.error());
  return opened;
}

Result<FileAnswer> list(os::Fd folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> names(fdopendir(folder.get()), closedir);
  if (!names) return failed("reading the folder", errno);
  (void)folder.release();  // the listing's now
  FileAnswer out;
  out.folder = true;
  while (const dirent* entry = readdir(names.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat info {};
    if (fstatat(dirfd(names.get()), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (out.files.size() == kMostListed)
      return Error{Code::kTooLarge, "FOLDER_TOO_LARGE",
                   cat("the folder holds more than ", kMostListed, " names; list it by a command")};
    out.files.push_back({to_utf8_lossy(name), type_of(info), info.st_size});
  }
  std::ranges::sort(out.files, {}, &contracts::SessionFile::name);
  return out;
}

}  // namespace paddock::files

#include "node-agent/sessions/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/thread_user.h"

namespace paddock::sessions {
namespace {

using contracts::FileAnswer;
using contracts::FileOperation;
using contracts::FileOrder;

constexpr size_t kMostListed = 10'000;
constexpr int64_t kBlock = 512;
constexpr int64_t kMostPart = int64_t{4} << 20;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

Error not_found() { return {Code::kNotFound, "FILE_NOT_FOUND", "there is no such file"}; }

Error something_else() {
  return invalid_argument("NOT_A_REGULAR_FILE", "there is something else at this path");
}

// Folders and files change while they are looked at: that is the session's doing, not our failure.
Error as_answer(Error error) {
  if (error.code == Code::kNotFound) return not_found();
  if (error.reason == "PATH_NOT_A_FOLDER") return something_else();
  return error;
}

// What a failed step means for the caller; the path stays out of it.
Error failed(std::string_view doing, int number) {
  switch (number) {
    case ENOENT:
      return not_found();
    case ENOTDIR:
    case EISDIR:
    case ENXIO:
      return something_else();
    case EEXIST:
      return {Code::kAlreadyExists, "FILE_EXISTS", "there is something at this path"};
    case EACCES:
    case EPERM:
      return {Code::kFailedPrecondition, "FILE_NOT_ALLOWED",
              "the modes of the session's own files do not allow that"};
    case ELOOP:
      return invalid_argument("LINK_IN_PATH", "a symbolic link is on the way");
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

const char* type_of(const struct stat& info) {
  if (S_ISREG(info.st_mode)) return "file";
  if (S_ISDIR(info.st_mode)) return "folder";
  return S_ISLNK(info.st_mode) ? "link" : "other";
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

Result<FileAnswer> read(int root, const FileOrder& order) {
  if (auto folder = open_folder(root, order.path); folder.ok()) return list(std::move(*folder));
  auto opened = os::open_regular_beneath(root, order.path);
  if (!opened.ok()) return as_answer(opened.error());
  auto bytes = os::read_all(opened->get(), static_cast<size_t>(order.most));
  if (!bytes.ok() && bytes.error().reason == "FILE_TOO_LARGE")
    return Error{
        Code::kTooLarge, "FILE_TOO_LARGE",
        cat("the file has more than ", order.most, " bytes; read it in parts by commands")};
  if (!bytes.ok()) return bytes.error();
  FileAnswer out;
  out.data = base64(*bytes);
  return out;
}

// Changes whenever the file is written to, as far as its times tell.
std::string version_of(const struct stat& info) {
  return cat(info.st_size, "-", info.st_ctim.tv_sec, ".", info.st_ctim.tv_nsec);
}

struct Held {
  int64_t bytes = 0;
  int64_t files = 0;
};

Result<Held> held_by(int root) {
  Held out;
  TRY(os::walk(root, [&](const os::WalkEntry& entry) {
    out.bytes += entry.stat.st_blocks * kBlock;
    ++out.files;
    return true;
  }));
  return out;
}

// Before anything is written; what commands write at the same time the launcher measures.
Status check_room(const FileRules& rules, int root, int64_t bytes) {
  ASSIGN_OR_RETURN(const Held held, held_by(root));
  if (rules.most_bytes && held.bytes + bytes > *rules.most_bytes)
    return Error{Code::kTooLarge, "E_LIMIT_FS",
                 cat("the session's files would have more than its fsBytes, ", *rules.most_bytes)};
  if (rules.most_files && held.files + 1 > *rules.most_files)
    return Error{Code::kTooLarge, "E_LIMIT_FILES",
                 cat("the session would have more files than its fileCount, ", *rules.most_files)};
  return {};
}

Status make_folder(int root, const std::string& path) {
  if (path.empty()) return {};
  if (open_folder(root, path).ok()) return {};
  TRY(make_folder(root, parent_of(path)));
  ASSIGN_OR_RETURN(const os::Fd above, open_folder(root, parent_of(path)));
  if (mkdirat(above.get(), os::base_name(path).c_str(), 0755) != 0 && errno != EEXIST)
    return failed("making the folder", errno);
  return {};
}

Status write_bytes(int root, const std::string& path, const std::string& bytes) {
  ASSIGN_OR_RETURN(const os::Fd above, open_folder(root, parent_of(path)));
  const os::Fd file(openat(above.get(), os::base_name(path).c_str(),
                           O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
  struct stat info {};
  if (!file.valid() || fstat(file.get(), &info) != 0) return failed("opening the file", errno);
  if (!S_ISREG(info.st_mode)) return failed("opening the file", EISDIR);
  if (ftruncate(file.get(), 0) != 0) return failed("emptying the file", errno);
  if (const Status written = os::write_all(file.get(), bytes); !written.ok())
    return Error{Code::kUnavailable, "FILE_NOT_WRITTEN", "the node's disk did not take the file"};
  return {};
}

Result<FileAnswer> write(const FileRules& rules, int root, const FileOrder& order) {
  const auto bytes = decode_base64(order.data);
  if (!bytes) return invalid_argument("BAD_DATA", "the data is no base64");
  TRY(check_room(rules, root, static_cast<int64_t>(bytes->size())));
  const os::ThreadUser user(rules.uid);
  if (order.folder) {
    TRY(make_folder(root, order.path));
  } else {
    TRY(make_folder(root, parent_of(order.path)));
    TRY(write_bytes(root, order.path, *bytes));
  }
  return FileAnswer{};
}

// A folder is moved out of the session at once, and taken apart where nobody else reaches it.
Result<FileAnswer> remove(const FileRules& rules, int root, const FileOrder& order) {
  ASSIGN_OR_RETURN(const os::Fd above, open_folder(root, parent_of(order.path)));
  const std::string name = os::base_name(order.path);
  if (unlinkat(above.get(), name.c_str(), 0) == 0) return FileAnswer{};
  if (errno != EISDIR && errno != EPERM) return failed("removing the file", errno);
  TRY(os::make_dirs(rules.trash));
  static std::atomic<uint64_t> next{0};
  const std::string gone = os::join_path(rules.trash, cat("gone-", next++));
  TRY(os::remove_tree(gone));
  if (renameat(above.get(), name.c_str(), AT_FDCWD, gone.c_str()) != 0)
    return failed("removing the folder", errno);
  TRY(os::remove_tree(gone));
  return FileAnswer{};
}

}  // namespace

Result<FileAnswer> read_part(int root, const FileOrder& order) {
  if (auto folder = open_folder(root, order.path); folder.ok()) return list(std::move(*folder));
  auto opened = os::open_regular_file_beneath(root, order.path);
  if (!opened.ok()) return as_answer(opened.error());
  FileAnswer out;
  out.size = opened->stat.st_size;
  out.version = version_of(opened->stat);
  std::string bytes(static_cast<size_t>(std::min(order.most, kMostPart)), '\0');
  const int64_t from = std::min<int64_t>(order.offset.value_or(0), opened->stat.st_size);
  const ssize_t got = pread(opened->fd.get(), bytes.data(), bytes.size(), from);
  if (got < 0) return failed("reading the file", errno);
  bytes.resize(static_cast<size_t>(got));
  struct stat after {};
  if (fstat(opened->fd.get(), &after) != 0 || version_of(after) != out.version)
    return Error{Code::kFailedPrecondition, "FILE_CHANGED",
                 "the run wrote to the file while it was read; try again"};
  out.data = base64(bytes);
  return out;
}

Result<FileAnswer> do_with_file(const FileRules& rules, const FileOrder& order) {
  ASSIGN_OR_RETURN(const os::Fd root, os::open_root(rules.workspace));
  if (order.operation == FileOperation::kRead) return read(root.get(), order);
  if (order.path.empty()) return invalid_argument("BAD_PATH", "name a file of the session");
  if (order.operation == FileOperation::kWrite) return write(rules, root.get(), order);
  return remove(rules, root.get(), order);
}

}  // namespace paddock::sessions

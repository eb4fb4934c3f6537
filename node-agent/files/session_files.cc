#include "node-agent/files/session_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <optional>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/folder_use.h"
#include "common/os/thread_user.h"
#include "node-agent/files/beneath.h"
#include "node-agent/files/new_file.h"
#include "node-agent/files/new_folders.h"
#include "node-agent/files/room.h"

namespace paddock::files {
namespace {

using contracts::FileAnswer;
using contracts::FileOperation;
using contracts::FileOrder;

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

// Before anything is written; what commands write at the same time the launcher measures.
Status check_room(const FileRules& rules, int root, const Room& more) {
  if (!rules.most_bytes && !rules.most_files) return {};
  const int64_t most = rules.most_files.value_or(INT64_MAX);
  ASSIGN_OR_RETURN(const os::FolderUse held,
                   os::folder_use(root, {.most_names = most, .open_closed = true}));
  if (held.unreadable)
    return Error{Code::kTooLarge, "E_LIMIT_FS",
                 "a folder of the session is closed to its node, which cannot count what is in it"};
  if (rules.most_bytes && held.bytes + more.bytes > *rules.most_bytes)
    return Error{Code::kTooLarge, "E_LIMIT_FS",
                 cat("the session's files would have more than its fsBytes, ", *rules.most_bytes)};
  if (rules.most_files && held.files + more.files > *rules.most_files)
    return Error{Code::kTooLarge, "E_LIMIT_FILES",
                 cat("the session would have more files and folders than its fileCount, ",
                     *rules.most_files)};
  return {};
}

// The mode of the file that is to be replaced; none if there is no file yet. Anything that is no
// regular file is refused.
Result<std::optional<mode_t>> mode_of(int folder, const std::string& name) {
  struct stat info {};
  if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::optional<mode_t>();
    return failed("looking at the file", errno);
  }
  if (S_ISLNK(info.st_mode)) return failed("opening the file", ELOOP);
  if (!S_ISREG(info.st_mode)) return failed("opening the file", EISDIR);
  return std::optional<mode_t>(info.st_mode & 0777);
}

Status write_bytes(int root, const std::string& path, const std::string& bytes) {
  ASSIGN_OR_RETURN(os::Fd above, open_folder(root, parent_of(path)));
  const std::string name = os::base_name(path);
  ASSIGN_OR_RETURN(const auto mode, mode_of(above.get(), name));
  ASSIGN_OR_RETURN(NewFile file, NewFile::make(std::move(above), mode));
  return file.finish(bytes, name);
}

Result<FileAnswer> write(const FileRules& rules, int root, const FileOrder& order) {
  const auto bytes = decode_base64(order.data);
  if (!bytes) return invalid_argument("BAD_DATA", "the data is no base64");
  ASSIGN_OR_RETURN(const Room more, room_for(root, order, static_cast<int64_t>(bytes->size())));
  TRY(check_room(rules, root, more));
  const os::ThreadUser user(rules.uid);
  NewFolders folders(root);
  TRY(folders.make(order.folder ? order.path : parent_of(order.path)));
  if (!order.folder) TRY(write_bytes(root, order.path, *bytes));
  folders.keep();
  return FileAnswer{};
}

// Gives what is left of the folder its name back, unless somebody has taken that meanwhile. The
// session itself can cause this: a process that has the folder open can go on writing there, and
// make it unreadable to whoever removes it.
Error not_removed(int above, const std::string& gone, const std::string& name, Error why) {
  (void)renameat(above, gone.c_str(), above, name.c_str());
  if (why.code == Code::kUnavailable) return why;  // the disk's
  return {
      Code::kFailedPrecondition, "FILE_NOT_ALLOWED",
      "a command keeps some of the folder from being removed; what is left of it is still there"};
}

// A folder loses its name at once, and is taken apart where it is: as long as there is something of
// it, it counts.
Result<FileAnswer> remove(int root, const FileOrder& order) {
  ASSIGN_OR_RETURN(const os::Fd above, open_folder(root, parent_of(order.path)));
  const std::string name = os::base_name(order.path);
  if (unlinkat(above.get(), name.c_str(), 0) == 0) return FileAnswer{};
  if (errno != EISDIR && errno != EPERM) return failed("removing the file", errno);
  static std::atomic<uint64_t> next{0};
  const std::string gone = cat(".paddock-gone-", getpid(), "-", next++);
  if (renameat(above.get(), name.c_str(), above.get(), gone.c_str()) != 0)
    return failed("removing the folder", errno);
  if (Status removed = os::remove_folder(above.get(), gone); !removed.ok())
    return not_removed(above.get(), gone, name, std::move(removed).error());
  return FileAnswer{};
}

}  // namespace

Result<FileAnswer> do_with_file(const FileRules& rules, const FileOrder& order) {
  ASSIGN_OR_RETURN(const os::Fd root, os::open_closed_root(rules.workspace));
  if (order.operation == FileOperation::kRead) return read(root.get(), order);
  if (order.path.empty()) return invalid_argument("BAD_PATH", "name a file of the session");
  if (order.operation == FileOperation::kWrite) return write(rules, root.get(), order);
  return remove(root.get(), order);
}

}  // namespace paddock::files

#include "node-agent/files/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/thread_user.h"
#include "node-agent/files/beneath.h"
#include "node-agent/files/new_file.h"
#include "node-agent/files/new_folders.h"
#include "node-agent/files/room.h"

namespace paddock::files {
namespace {

using contracts::FileAnswer;
using contracts::FileOrder;

constexpr int64_t kMostPart = int64_t{4} << 20;

// Changes whenever the file is written to, as far as its times tell.
std::string version_of(const struct stat& info) {
  return cat(info.st_size, "-", info.st_ctim.tv_sec, ".", info.st_ctim.tv_nsec);
}

bool names_a_file(const std::string& path) {
  return path.find('\0') == std::string::npos &&
         std::ranges::none_of(split(path, '/'), [](const std::string& part) {
           return part.empty() || part == "." || part == "..";
         });
}

Status check_room_left(const RunFileRules& rules, const Room& more) {
  if (rules.bytes_left && more.bytes > *rules.bytes_left)
    return Error{Code::kTooLarge, "E_LIMIT_FS",
                 cat("of its fsBytes the run has ", std::max<int64_t>(0, *rules.bytes_left),
                     " left, and the file needs ", more.bytes)};
  if (rules.files_left && more.files > *rules.files_left)
    return Error{Code::kTooLarge, "E_LIMIT_FILES",
                 cat("of its fileCount the run has ", std::max<int64_t>(0, *rules.files_left),
                     " left, and the file needs ", more.files, " with its folders")};
  return {};
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

Result<FileAnswer> put_whole(const RunFileRules& rules, const FileOrder& order) {
  const auto bytes = decode_base64(order.data);
  if (!bytes) return invalid_argument("BAD_DATA", "the data is no base64");
  if (!names_a_file(order.path)) return invalid_argument("BAD_PATH", "name a file of the run");
  const int measured = rules.measured.value_or(rules.root);
  ASSIGN_OR_RETURN(const Room more, room_for(measured, order, static_cast<int64_t>(bytes->size())));
  TRY(check_room_left(rules, more));
  const os::ThreadUser user(rules.user);
  NewFolders folders(rules.root);
  TRY(folders.make(parent_of(order.path)));
  ASSIGN_OR_RETURN(os::Fd folder, open_folder(rules.root, parent_of(order.path)));
  ASSIGN_OR_RETURN(NewFile file, NewFile::make(std::move(folder)));
  TRY(file.finish(*bytes, os::base_name(order.path)));
  folders.keep();
  if (rules.wrote) rules.wrote(more.bytes, more.files);
  return FileAnswer{};
}

}  // namespace paddock::files

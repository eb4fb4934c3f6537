#include "node-agent/sessions/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/thread_user.h"
#include "node-agent/sessions/beneath.h"

namespace paddock::sessions {
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

Status check_room_left(const RunFileRules& rules, int64_t bytes) {
  if (rules.bytes_left && bytes > *rules.bytes_left)
    return Error{Code::kTooLarge, "E_LIMIT_FS",
                 cat("of its fsBytes the run has ", std::max<int64_t>(0, *rules.bytes_left),
                     " left, and the file has ", bytes)};
  if (rules.files_left && *rules.files_left < 1)
    return Error{Code::kTooLarge, "E_LIMIT_FILES", "the run has as many files as its fileCount"};
  return {};
}

// A file that is being written, and has its name only once it is whole. The run can change
// everything in its folder meanwhile, and what it puts in the way is its own.
class Part {
 public:
  static Result<Part> make(os::Fd folder) {
    static std::atomic<uint64_t> next{0};
    Part out;
    out.folder_ = std::move(folder);
    out.name_ = cat(".paddock-put-", ::getpid(), "-", next++);
    out.file_.reset(openat(out.folder_.get(), out.name_.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!out.file_.valid()) return failed("making the file", errno);
    return out;
  }
  Part(Part&&) = default;
  Part& operator=(Part&&) = delete;
  ~Part() {
    if (file_.valid()) unlinkat(folder_.get(), name_.c_str(), 0);
  }
  Status finish(const std::string& bytes, const std::string& name) {
    if (!os::write_all(file_.get(), bytes).ok())
      return Error{Code::kUnavailable, "FILE_NOT_WRITTEN", "the node's disk did not take the file"};
    if (renameat(folder_.get(), name_.c_str(), folder_.get(), name.c_str()) != 0)
      return failed("naming the file", errno);
    file_.reset();
    return {};
  }

 private:
  Part() = default;
  os::Fd folder_;
  std::string name_;
  os::Fd file_;  // none: it has its name
};

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
  TRY(check_room_left(rules, static_cast<int64_t>(bytes->size())));
  const os::ThreadUser user(rules.user);
  TRY(make_folder(rules.root, parent_of(order.path)));
  ASSIGN_OR_RETURN(os::Fd folder, open_folder(rules.root, parent_of(order.path)));
  ASSIGN_OR_RETURN(Part part, Part::make(std::move(folder)));
  TRY(part.finish(*bytes, os::base_name(order.path)));
  return FileAnswer{};
}

}  // namespace paddock::sessions

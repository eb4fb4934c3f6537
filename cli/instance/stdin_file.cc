#include "cli/instance/stdin_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/instance/instance.h"
#include "cli/options/names.h"
#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr int64_t kMostPiped = int64_t{1} << 30;

Error unreadable(const std::string& source, const std::string& why) {
  return invalid_argument("STDIN_UNREADABLE", cat("`", source, "`: ", why), "--stdin");
}

// Without links, so that it can be compared with the project's folder. Empty: there is none.
std::string real_path(const std::string& path) {
  char* found = ::realpath(path.c_str(), nullptr);
  std::string out = found == nullptr ? "" : found;
  ::free(found);
  return out;
}

Status copy_stdin(int to) {
  std::array<char, size_t{64} << 10> buffer{};
  for (int64_t total = 0;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable("-", system_error("reading", errno).message);
    if (got == 0) return {};
    total += got;
    if (total > kMostPiped)
      return invalid_argument("STDIN_TOO_LARGE",
                              cat("more than ", format_quantity(kMostPiped),
                                  " came through the pipe; put it into a file and name that"),
                              "--stdin");
    TRY(os::write_all(to, std::string_view(buffer.data(), static_cast<size_t>(got))));
  }
}

// A file without a name: whatever ends this program takes it along.
Result<os::Fd> make_spool(const Env& env) {
  ASSIGN_OR_RETURN(const std::string root, state_root(env.vars, env.root));
  TRY(os::make_dirs(root));
  const std::string path = os::join_path(root, cat("stdin-", make_uuid(env.random)));
  os::Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return unreadable("-", system_error("keeping it", errno).message);
  ::unlink(path.c_str());
  return file;
}

// Without waiting for a pipe's other end.
Result<os::Fd> open_file(const std::string& source, const std::string& path) {
  os::Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info = {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0)
    return unreadable(source, system_error("opening", errno).message);
  if (!S_ISREG(info.st_mode)) return unreadable(source, "is no file; `--stdin -` reads a pipe");
  return file;
}

}  // namespace

Result<StdinFile> StdinFile::open(const std::string& source, const Env& env) {
  if (source == "-") {
    ASSIGN_OR_RETURN(os::Fd spool, make_spool(env));
    TRY(copy_stdin(spool.get()));
    return StdinFile(std::move(spool), "");
  }
  std::string path = real_path(absolute_path(env.cwd, source));
  if (path.empty()) return unreadable(source, "there is no such file");
  ASSIGN_OR_RETURN(os::Fd file, open_file(source, path));
  return StdinFile(std::move(file), std::move(path));
}

Result<contracts::TreeEntry> StdinFile::entry() const {
  struct stat info = {};
  if (::fstat(file_.get(), &info) != 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0)
    return system_error("reading the standard input", errno);
  ASSIGN_OR_RETURN(std::string digest, crypto::sha256_fd(file_.get()));
  return contracts::TreeEntry{std::string(kStdinName), std::move(digest), info.st_size, false};
}

Result<std::string> StdinFile::add_to(cas::Scan& scan, const std::string& folder) const {
  std::vector<contracts::TreeEntry>& entries = scan.tree.entries;
  const std::string root = folder.empty() ? "" : cat(real_path(folder), "/");
  if (!root.empty() && path_.starts_with(root)) {
    std::string inside = path_.substr(root.size());
    if (std::ranges::find(entries, inside, &contracts::TreeEntry::path) != entries.end())
      return inside;
  }
  if (std::ranges::find(entries, kStdinName, &contracts::TreeEntry::path) != entries.end())
    return invalid_argument("STDIN_NAME_TAKEN",
                            cat("the project has a file ", kStdinName,
                                ", whose name is kept for standard input; rename it"),
                            "--stdin");
  ASSIGN_OR_RETURN(contracts::TreeEntry added, entry());
  scan.bytes += added.size;
  scan.added[added.path] = file_.get();
  entries.insert(std::ranges::upper_bound(entries, added.path, {}, &contracts::TreeEntry::path),
                 std::move(added));
  return std::string(kStdinName);
}

}  // namespace paddock::cli

#include "node-agent/files/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/files/beneath.h"

namespace paddock::files {

Result<NewFile> NewFile::make(os::Fd folder, std::optional<mode_t> mode) {
  static std::atomic<uint64_t> next{0};
  NewFile out;
  out.folder_ = std::move(folder);
  out.name_ = cat(".paddock-put-", ::getpid(), "-", next++);
  out.file_.reset(openat(out.folder_.get(), out.name_.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!out.file_.valid()) return failed("making the file", errno);
  if (mode && fchmod(out.file_.get(), *mode) != 0) return failed("making the file", errno);
  return out;
}

NewFile::~NewFile() {
  if (file_.valid()) unlinkat(folder_.get(), name_.c_str(), 0);
}

Status NewFile::finish(const std::string& bytes, const std::string& name) {
  if (!os::write_all(file_.get(), bytes).ok())
    return Error{Code::kUnavailable, "FILE_NOT_WRITTEN", "the node's disk did not take the file"};
  if (renameat(folder_.get(), name_.c_str(), folder_.get(), name.c_str()) != 0)
    return failed("naming the file", errno);
  file_.reset();
  return {};
}

}  // namespace paddock::files

#include "cli/client/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::cli {

Result<NewFile> NewFile::make(const std::string& path) {
  ASSIGN_OR_RETURN(os::Fd folder, os::open_root(os::folder_of(path)));
  return make_in(std::move(folder), os::base_name(path));
}

Result<NewFile> NewFile::make_in(os::Fd folder, const std::string& name) {
  NewFile out;
  out.folder_ = std::move(folder);
  out.name_ = name;
  out.part_ = cat(".", out.name_, ".", ::getpid(), ".part");
  out.file_ = os::Fd(::openat(out.folder_.get(), out.part_.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!out.file_.valid()) return system_error("making a file there", errno);
  return out;
}

NewFile::~NewFile() {
  if (folder_.valid() && file_.valid() && !whole_) ::unlinkat(folder_.get(), part_.c_str(), 0);
}

Status NewFile::add(std::string_view bytes) const { return os::write_all(file_.get(), bytes); }

Status NewFile::begin_anew() {
  if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0)
    return system_error("emptying the file", errno);
  return {};
}

Status NewFile::finish() {
  if (::renameat(folder_.get(), part_.c_str(), folder_.get(), name_.c_str()) != 0)
    return system_error("giving it its name", errno);
  whole_ = true;
  return {};
}

}  // namespace paddock::cli

// A file that is being written into a run's or a session's folder: it has its name only once it is
// whole, so that nobody reads a part of it, and a process that is killed in between leaves the
// former one. What runs there can change everything in its folder meanwhile; what it puts in the
// way is its own.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/os/fd.h"

namespace paddock::files {

class NewFile {
 public:
  // Makes a file without a name in the folder of the file that it will replace. `mode`: the rights
  // of that file; none: those of any new file.
  static Result<NewFile> make(os::Fd folder, std::optional<mode_t> mode = {});
  NewFile(NewFile&&) = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();
  // Unavailable (FILE_NOT_WRITTEN), and errors of failed().
  Status finish(const std::string& bytes, const std::string& name);

 private:
  NewFile() = default;
  os::Fd folder_;
  std::string name_;
  os::Fd file_;  // none: it has its name
};

}  // namespace paddock::files

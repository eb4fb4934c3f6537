// The standard input of a run: a file that goes with the project's, or is one of them.
#pragma once

#include <string>

#include "cli/terminal/env.h"
#include "common/cas/tree.h"
#include "common/os/fd.h"

namespace paddock::cli {

// Where it lies in the workspace when it is no file of the project.
inline constexpr std::string_view kStdinName = ".paddock-stdin";

// The bytes of --stdin as a file of this host; what came through a pipe is gone with this object.
class StdinFile {
 public:
  // `source` is a file below env.cwd, or `-`: read to its end, STDIN_TOO_LARGE beyond 1 GiB.
  // STDIN_UNREADABLE.
  static Result<StdinFile> open(const std::string& source, const Env& env);
  // Its path in the workspace. Adds it to what is sent, which needs this object then, unless it is
  // among the files of `folder` already. STDIN_NAME_TAKEN: the project has a file of the reserved
  // name.
  Result<std::string> add_to(cas::Scan& scan, const std::string& folder) const;

 private:
  StdinFile(os::Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  Result<contracts::TreeEntry> entry() const;
  os::Fd file_;
  std::string path_;  // absolute, without links; empty: it has none
};

}  // namespace paddock::cli

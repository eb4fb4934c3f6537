// A command's standard input from a file that grows: a process of its own reads along and writes
// what is new, in whole lines, each byte once. It dies with the launcher. When nobody reads any
// more it makes `<file>.closed` and ends.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/os/fd.h"

namespace paddock::sandbox {

// The end that the command reads. Before there is a second thread.
Result<os::Fd> start_input_feed(const std::string& path);

}  // namespace paddock::sandbox

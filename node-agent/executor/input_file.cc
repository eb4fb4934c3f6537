#include "node-agent/executor/input_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/os/file.h"
#include "common/os/sync.h"

namespace paddock::executor {
namespace {

constexpr size_t kLongestFile = size_t{1} << 30;

}  // namespace

Result<InputFile> InputFile::open(std::string path) {
  os::Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return system_error("opening a run's input", errno);
  ASSIGN_OR_RETURN(const std::string there, os::read_file(path, kLongestFile));
  const size_t whole = there.rfind('\n') == std::string::npos ? 0 : there.rfind('\n') + 1;
  if (whole != there.size() && ::ftruncate(file.get(), static_cast<off_t>(whole)) != 0)
    return system_error("repairing a run's input", errno);
  InputFile out(std::move(path), std::move(file), std::ranges::count(there, '\n'),
                static_cast<off_t>(whole));
  out.look_whether_closed();
  return out;
}

Result<bool> InputFile::append(const std::vector<contracts::RunInput>& inputs) {
  bool any = false;
  for (const contracts::RunInput& input : inputs) {
    const bool one_line = std::ranges::count(input.data, '\n') == 1 && input.data.ends_with('\n');
    if (input.seq != lines_ + 1 || !one_line) continue;
    if (Status written = os::write_all(file_.get(), input.data); !written) {
      (void)!::ftruncate(file_.get(), whole_);  // it is given again
      return std::move(written).error();
    }
    whole_ += static_cast<off_t>(input.data.size());
    ++lines_;
    any = true;
  }
  if (any && os::sync_data(file_.get()) != 0) return system_error("storing a run's input", errno);
  return any;
}

bool InputFile::look_whether_closed() {
  closed_ = closed_ || os::exists(path_ + ".closed");
  return closed_;
}

}  // namespace paddock::executor

#include "node-agent/sandbox/linux/child/scratch.h"

#include <errno.h>
#include <fcntl.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

Status make_file(const std::string& path, const std::string& content) {
  TRY(os::make_dirs(path.substr(0, path.rfind('/'))));
  const os::Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return step_error(cat("making the file ", path), errno);
  return os::write_all(file.get(), content);
}

}  // namespace

Status make_scratch(const CommandSpec& spec) {
  for (const std::string& folder : spec.scratch_folders) TRY(os::make_dirs(folder));
  for (const auto& [path, content] : spec.scratch_files) TRY(make_file(path, content));
  return {};
}

}  // namespace paddock::sandbox

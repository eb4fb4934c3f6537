#include "node-agent/sandbox/linux/exec_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/raw.h"

namespace paddock::sandbox {
namespace {

std::string link_text(const std::string& path) {
  char text[PATH_MAX];
  const ssize_t n = readlink(path.c_str(), text, sizeof text);
  return n > 0 ? std::string(text, static_cast<size_t>(n)) : std::string();
}

// The file as the caller would find it: its root is ours, so that no link leads out of its view.
os::Fd open_as(pid_t thread, const std::string& folder, const std::string& path) {
  const os::Fd root(open(cat("/proc/", thread, "/root").c_str(), O_PATH | O_CLOEXEC));
  if (!root.valid()) return {};
  const std::string whole = path.starts_with('/') ? path : cat(folder, "/", path);
  return os::Fd(raw::openat2(root.get(), whole.c_str(), O_PATH | O_CLOEXEC,
                             RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS));
}

struct AskedExecution {
  std::string name;
  os::Fd file;  // invalid: the kernel will find nothing there either
};

AskedExecution attempt_of(const Caller& caller, const seccomp_data& call) {
  const bool at = call.nr == SYS_execveat;
  AskedExecution out;
  out.name = caller.read_text(call.args[at ? 1 : 0], PATH_MAX);
  const int number = at ? static_cast<int>(call.args[0]) : AT_FDCWD;
  if (at && out.name.empty()) {
    out.file = caller.descriptor(number);
    return out;
  }
  const std::string own = cat("/proc/", caller.thread());
  const std::string folder = number == AT_FDCWD ? own + "/cwd" : cat(own, "/fd/", number);
  out.file = open_as(caller.thread(), link_text(folder), out.name);
  return out;
}

bool is_tool(const struct stat& file, const ToolView& tools) {
  return std::ranges::find(tools.ids, FileId{file.st_dev, file.st_ino}) != tools.ids.end();
}

}  // namespace

GateAnswer judge_exec(const Caller& caller, const seccomp_data& call, const ToolView& tools) {
  GateAnswer out;
  if (!tools.narrowed) return out;
  const AskedExecution attempt = attempt_of(caller, call);
  struct stat file {};
  if (!attempt.file.valid() || fstat(attempt.file.get(), &file) != 0) return out;
  if (!S_ISREG(file.st_mode) || (file.st_mode & 0111) == 0 || is_tool(file, tools)) return out;
  out.error = EACCES;
  out.denials.push_back({"execute", printable_name(attempt.name), caller.executable(),
                         "tools: only the programs that it names may be executed",
                         "name the program in tools; a script is run by its interpreter: sh FILE"});
  return out;
}

}  // namespace paddock::sandbox

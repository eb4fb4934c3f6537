#include "node-agent/sandbox/linux/notify/exec_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/denial_rule.h"
#include "node-agent/sandbox/linux/notify/notifying_thread_path.h"

namespace paddock::sandbox {
namespace {

struct AskedExecution {
  std::string name;
  FoundFile found;
};

// A name for a file that is executed by its descriptor alone.
std::string name_of(const os::Fd& file) {
  char text[PATH_MAX];
  const ssize_t n = readlink(cat("/proc/self/fd/", file.get()).c_str(), text, sizeof text);
  return n > 0 ? std::string(text, static_cast<size_t>(n)) : std::string();
}

AskedExecution attempt_of(const NotifyingThread& caller, const seccomp_data& call) {
  const bool at = call.nr == SYS_execveat;
  const uint64_t address = call.args[at ? 1 : 0];
  const int folder = at ? static_cast<int>(call.args[0]) : AT_FDCWD;
  AskedExecution out{caller.read_text(address, PATH_MAX), {{}, EFAULT}};
  if (out.name.empty() && caller.read(address, 1).empty()) return out;
  if (out.name.empty() && at && (call.args[4] & AT_EMPTY_PATH) != 0) {
    os::Fd file = folder == AT_FDCWD ? os::Fd() : caller.descriptor(folder);
    out.name = name_of(file);
    out.found = {std::move(file), 0};
    if (!out.found.file.valid()) out.found.error = EBADF;
  } else {
    out.found = find_as(caller, folder, out.name);
  }
  return out;
}

// Whether the file is one of the tools. On a mount with noexec it is not: a tool may be executed by
// one name only, and its other names are mounted that way.
bool is_tool(const os::Fd& file, const struct stat& info, const ToolView& tools) {
  struct statvfs mount {};
  return std::ranges::find(tools.ids, FileId{info.st_dev, info.st_ino}) != tools.ids.end() &&
         fstatvfs(file.get(), &mount) == 0 && (mount.f_flag & ST_NOEXEC) == 0;
}

GateAnswer refuse_file(const NotifyingThread& caller) {
  return {
      EACCES,
      {{"system call", "memfd_create", caller.executable(),
        contracts::rule_text(contracts::DenialRule::kTools, "a file in memory could be executed"),
        "the flag MFD_NOEXEC_SEAL (Linux 6.3), or a file in /tmp"}}};
}

// What it leads to is not known, so it may be no tool.
GateAnswer refuse_long_name(const NotifyingThread& caller, const AskedExecution& attempt) {
  return {
      attempt.found.error,
      {{std::string(contracts::kTriedToExecute), printable_name(attempt.name), caller.executable(),
        contracts::rule_text(contracts::DenialRule::kTools,
                             "a name of very many parts is not followed"),
        "a shorter name of the program"}}};
}

}  // namespace

GateAnswer judge_exec(const NotifyingThread& caller, const seccomp_data& call,
                      const ToolView& tools) {
  if (!tools.narrowed) return {};
  if (call.nr == SYS_memfd_create) return refuse_file(caller);
  const AskedExecution attempt = attempt_of(caller, call);
  if (attempt.found.too_long) return refuse_long_name(caller, attempt);
  if (attempt.found.error != 0) return {attempt.found.error, {}};
  struct stat info {};
  if (fstat(attempt.found.file.get(), &info) != 0) return {errno, {}};
  if (!S_ISREG(info.st_mode) || is_tool(attempt.found.file, info, tools)) return {};
  return {
      EACCES,
      {{std::string(contracts::kTriedToExecute), printable_name(attempt.name), caller.executable(),
        contracts::rule_text(contracts::DenialRule::kTools,
                             "only the programs that it names may be executed"),
        "name the program in tools (of a session in toolAllowlist, when it is created: --tool "
        "NAME); a script is run by its interpreter: sh FILE"}}};
}

}  // namespace paddock::sandbox

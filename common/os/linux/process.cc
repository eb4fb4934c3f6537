// Process identity from /proc and pidfds.
#include "common/os/process.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::os {
namespace {

// Fields of /proc/<pid>/stat, counted from the one after the command name. (proc(5))
constexpr size_t kState = 0;
constexpr size_t kThreads = 17;
constexpr size_t kStartTime = 19;

const std::string& boot_id() {
  static const std::string id = [] {
    Result<std::string> text = read_file("/proc/sys/kernel/random/boot_id", 128);
    return text ? std::string(trim(*text)) : std::string();
  }();
  return id;
}

constexpr const char* kSelf = "/proc/self/exe";

Fd open_pidfd(pid_t pid) { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

Error gone(const ProcessIdentity& identity) {
  return {Code::kNotFound, "PROCESS_GONE", cat("process ", identity.pid, " has ended")};
}

}  // namespace

std::optional<ProcessIdentity> identify(pid_t pid) {
  if (pid <= 0) return std::nullopt;
  const Result<std::string> stat = read_file(cat("/proc/", pid, "/stat"), 64 << 10);
  if (!stat) return std::nullopt;
  // The command name is in parentheses and may hold anything, parentheses and newlines included;
  // nothing after it holds one.
  const size_t end_of_name = stat->rfind(") ");
  if (end_of_name == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields =
      split(trim(std::string_view(*stat).substr(end_of_name + 2)), ' ');
  if (fields.size() <= kStartTime) return std::nullopt;
  // A first thread that ended before the others looks like a zombie; the process lives on.
  const bool ended = fields[kState] == "Z" || fields[kState] == "X" || fields[kState] == "x";
  const int64_t threads = parse_integer<int64_t>(fields[kThreads]).value_or(1);
  if (ended && threads <= 1) return std::nullopt;
  const std::optional<uint64_t> start = parse_integer<uint64_t>(fields[kStartTime]);
  if (!start) return std::nullopt;
  return ProcessIdentity{pid, *start, boot_id()};
}

Status signal_process(const ProcessIdentity& identity, int signal) {
  // The descriptor first: if the identity still fits after that, it names this very process.
  const Fd pidfd = open_pidfd(identity.pid);
  if (!pidfd.valid() && errno != ESRCH) return system_error("finding a process", errno);
  if (!pidfd.valid() || !alive(identity)) return gone(identity);
  if (::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) != 0) {
    if (errno == ESRCH) return gone(identity);
    return system_error("signalling a process", errno);
  }
  return {};
}

Fd exit_of(const ProcessIdentity& identity) {
  Fd pidfd = open_pidfd(identity.pid);
  if (!alive(identity)) pidfd.reset();
  return pidfd;
}

std::string program_dir() {
  std::array<char, 4096> buffer;
  const ssize_t length = ::readlink(kSelf, buffer.data(), buffer.size());
  if (length <= 0) return ".";
  return folder_of({buffer.data(), static_cast<size_t>(length)});
}

std::string this_program() { return kSelf; }

}  // namespace paddock::os

// Process identity from sysctl(3), ends from kqueue(2).
#include "common/os/process.h"

#include <limits.h>
#include <mach-o/dyld.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/sysctl.h>

#include <array>
#include <cerrno>

#include "common/base/text.h"
#include "common/os/darwin/kqueue.h"
#include "common/os/file.h"

namespace paddock::os {
namespace {

const std::string& boot_id() {
  static const std::string id = [] {
    std::array<char, 64> text{};
    size_t size = text.size() - 1;
    if (::sysctlbyname("kern.bootsessionuuid", text.data(), &size, nullptr, 0) != 0)
      return std::string();
    return std::string(text.data());
  }();
  return id;
}

}  // namespace

std::optional<ProcessIdentity> identify(pid_t pid) {
  if (pid <= 0) return std::nullopt;
  std::array<int, 4> name = {CTL_KERN, KERN_PROC, KERN_PROC_PID, pid};
  kinfo_proc info = {};
  size_t size = sizeof info;
  if (::sysctl(name.data(), name.size(), &info, &size, nullptr, 0) != 0 || size < sizeof info)
    return std::nullopt;
  if (info.kp_proc.p_stat == SZOMB) return std::nullopt;
  const timeval& start = info.kp_proc.p_starttime;
  const auto since_1970_us =
      static_cast<uint64_t>(start.tv_sec) * 1'000'000 + static_cast<uint64_t>(start.tv_usec);
  return ProcessIdentity{pid, since_1970_us, boot_id()};
}

Status signal_process(const ProcessIdentity& identity, int signal) {
  if (alive(identity) && ::kill(identity.pid, signal) == 0) return {};
  if (alive(identity)) return system_error("signalling a process", errno);
  return Error{Code::kNotFound, "PROCESS_GONE", cat("process ", identity.pid, " has ended")};
}

Fd exit_of(const ProcessIdentity& identity) {
  Fd queue = new_queue();
  const bool asked = ask(queue, static_cast<uintptr_t>(identity.pid), EVFILT_PROC, EV_ADD,
                         static_cast<uint32_t>(NOTE_EXIT));
  if (!asked || !alive(identity)) queue.reset();
  return queue;
}

std::string this_program() {
  std::array<char, PATH_MAX> path{};
  auto size = static_cast<uint32_t>(path.size());
  if (::_NSGetExecutablePath(path.data(), &size) != 0) return {};
  std::array<char, PATH_MAX> real{};
  return ::realpath(path.data(), real.data()) == nullptr ? path.data() : real.data();
}

std::string program_dir() {
  const std::string program = this_program();
  return program.empty() ? "." : folder_of(program);
}

}  // namespace paddock::os

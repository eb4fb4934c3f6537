#include "node-agent/sandbox/linux/notify/notifying_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/result/denials.h"

namespace paddock::sandbox {
namespace {

constexpr uint64_t kPage = 4096;      // at least this small everywhere
constexpr unsigned kThread = O_EXCL;  // PIDFD_THREAD, Linux 6.9

// The text after `name:` in /proc/PID/status.
std::string_view status_field(std::string_view status, std::string_view name) {
  const std::string start = cat("\n", name, ":");
  const size_t at = status.find(start);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = status.substr(at + start.size());
  return trim(rest.substr(0, rest.find('\n')));
}

pid_t last_number(std::string_view text) {
  const size_t at = text.find_last_of("\t ");
  return parse_integer<pid_t>(at == std::string_view::npos ? text : text.substr(at + 1))
      .value_or(-1);
}

int64_t first_number(std::string_view text) {
  return parse_integer<int64_t>(text.substr(0, text.find_first_of("\t "))).value_or(-1);
}

int count_of_numbers(std::string_view text) {
  return text.empty() ? 0 : static_cast<int>(std::ranges::count(text, '\t')) + 1;
}

std::optional<uint64_t> signals_in(std::string_view mask) {
  uint64_t bits = 0;
  const auto [end, error] = std::from_chars(mask.data(), mask.data() + mask.size(), bits, 16);
  (void)end;
  return error == std::errc() ? std::optional(bits) : std::nullopt;
}

bool has_sigsys(std::string_view mask) {
  return (signals_in(mask).value_or(~uint64_t{0}) & (uint64_t{1} << (SIGSYS - 1))) != 0;
}

// Whether the thread has a signal to handle. For a signal to the whole process, the kernel wakes
// the first thread, unless that blocks it.
bool has_to_handle(std::string_view status, bool first_thread) {
  const auto of = [&](const char* field) {
    return signals_in(status_field(status, field)).value_or(0);
  };
  const uint64_t pending = of("SigPnd") | (first_thread ? of("ShdPnd") : 0);
  return (pending & of("SigCgt") & ~of("SigBlk")) != 0;
}

}  // namespace

std::string NotifyingThread::read(uint64_t address, size_t bytes) const {
  std::string out(bytes, '\0');
  size_t done = 0;
  while (done < bytes) {
    // Read one page at a time, so that an unmapped page does not hide the bytes before it.
    const uint64_t at = address + done;
    const size_t part = std::min<size_t>(bytes - done, kPage - at % kPage);
    const iovec to{out.data() + done, part};
    const iovec from{reinterpret_cast<void*>(at), part};
    ++reads_;
    if (process_vm_readv(thread_, &to, 1, &from, 1, 0) != static_cast<ssize_t>(part)) break;
    done += part;
  }
  out.resize(done);
  return out;
}

std::string NotifyingThread::read_text(uint64_t address, size_t bytes) const {
  std::string out;
  while (out.size() < bytes) {
    const uint64_t at = address + out.size();
    const size_t part =
        std::min<size_t>(std::min<size_t>(bytes - out.size(), 256), kPage - at % kPage);
    const std::string more = read(at, part);
    if (const size_t end = more.find('\0'); end != std::string::npos) {
      return out + more.substr(0, end);
    }
    out += more;
    if (more.size() < part) break;
  }
  return out;
}

std::string NotifyingThread::executable() const {
  if (executable_) return *executable_;
  char path[4096];
  const ssize_t n = readlink(cat("/proc/", thread_, "/exe").c_str(), path, sizeof path);
  executable_ = n > 0 ? printable_name({path, static_cast<size_t>(n)}) : std::string();
  return *executable_;
}

os::Fd NotifyingThread::descriptor(int number) const {
  os::Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, thread_, kThread)));
  if (!pidfd.valid()) {
    const auto whole = process();
    if (!whole) return {};
    pidfd.reset(static_cast<int>(syscall(SYS_pidfd_open, whole->pid, 0)));
  }
  if (!pidfd.valid()) return {};
  return os::Fd(static_cast<int>(syscall(SYS_pidfd_getfd, pidfd.get(), number, 0)));
}

std::optional<NotifyingThread::Process> NotifyingThread::process() const {
  const os::Fd file(open(cat("/proc/", thread_, "/status").c_str(), O_RDONLY | O_CLOEXEC));
  char bytes[8192];
  const ssize_t n = file.valid() ? ::read(file.get(), bytes, sizeof bytes) : -1;
  if (n <= 0) return std::nullopt;
  // The first line is the program's name, which it chooses, with control characters escaped.
  const std::string_view status(bytes, static_cast<size_t>(n));
  Process out;
  out.pid = parse_integer<pid_t>(status_field(status, "Tgid")).value_or(-1);
  out.inside = last_number(status_field(status, "NStgid"));
  out.thread_inside = last_number(status_field(status, "NSpid"));
  out.threads = parse_integer<int>(status_field(status, "Threads")).value_or(1);
  out.sigsys_kills = out.threads == 1 && !has_sigsys(status_field(status, "SigBlk")) &&
                     !has_sigsys(status_field(status, "SigIgn")) &&
                     !has_sigsys(status_field(status, "SigCgt"));
  if (out.pid <= 0) return std::nullopt;
  out.interrupted = has_to_handle(status, out.pid == thread_);
  out.user = first_number(status_field(status, "Uid"));
  out.depth = count_of_numbers(status_field(status, "NSpid"));
  out.filters = parse_integer<int>(status_field(status, "Seccomp_filters"));
  return out;
}

}  // namespace paddock::sandbox

#include "node-agent/sandbox/linux/input_feed.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace paddock::sandbox {
namespace {

constexpr int kPollMs = 1'000;  // in case a wake-up is missed
constexpr size_t kLongestLine = size_t{8} << 20;

// Descriptors of the feeding process; it has no others.
constexpr int kFile = 0;
constexpr int kPipe = 1;
constexpr int kWatch = 2;

bool write_pipe(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(kPipe, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

// False when nobody reads, or the file cannot be read.
bool forward_new(std::string& held) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = read(kFile, buffer.data(), buffer.size());
    if (count < 0) return errno == EINTR;
    if (count == 0) return true;
    held.append(buffer.data(), static_cast<size_t>(count));
    const size_t end = held.rfind('\n');
    if (end == std::string::npos) {
      if (held.size() > kLongestLine) return false;
      continue;
    }
    if (!write_pipe(std::string_view(held).substr(0, end + 1))) return false;
    held.erase(0, end + 1);
  }
}

// True while the command still has its end.
bool wait_for_more() {
  std::array<pollfd, 2> fds = {pollfd{kWatch, POLLIN, 0}, pollfd{kPipe, 0, 0}};
  poll(fds.data(), fds.size(), kPollMs);
  alignas(inotify_event) std::array<char, 4096> events;
  while (read(kWatch, events.data(), events.size()) > 0) {
  }
  return (fds[1].revents & (POLLERR | POLLHUP)) == 0;
}

// A half line is read again once it is whole: until then the agent may still cut it off.
[[noreturn]] void feed(const std::string& path) {
  std::string held;
  while (true) {
    if (!forward_new(held)) break;
    if (!held.empty()) {
      lseek(kFile, -static_cast<off_t>(held.size()), SEEK_CUR);
      held.clear();
    }
    if (!wait_for_more()) break;
  }
  const int mark = open((path + ".closed").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (mark >= 0) close(mark);
  _exit(0);
}

// Nothing of the launcher's stays open here: not its lock, not the sandbox's sockets.
[[noreturn]] void become_feed(int file, int pipe, const std::string& path, pid_t launcher) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(1);
  prctl(PR_SET_NAME, "paddock-input");
  signal(SIGPIPE, SIG_IGN);
  const int watch = inotify_init1(IN_NONBLOCK);
  if (watch >= 0) inotify_add_watch(watch, path.c_str(), IN_MODIFY);
  // Above the three first, so that no copy lands on another's source.
  const int high_file = fcntl(file, F_DUPFD, 10);
  const int high_pipe = fcntl(pipe, F_DUPFD, 10);
  const int high_watch = fcntl(watch, F_DUPFD, 10);
  dup2(high_file, kFile);
  dup2(high_pipe, kPipe);
  dup2(high_watch, kWatch);
  syscall(SYS_close_range, 3U, ~0U, 0);
  feed(path);
}

}  // namespace

Result<os::Fd> start_input_feed(const std::string& path) {
  const os::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return system_error("opening the input file", errno);
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("making the input's pipe", errno);
  os::Fd reader(ends[0]);
  const os::Fd writer(ends[1]);
  const pid_t launcher = getpid();
  const pid_t child = fork();
  if (child < 0) return system_error("starting the input's feed", errno);
  if (child == 0) become_feed(file.get(), writer.get(), path, launcher);
  return reader;
}

}  // namespace paddock::sandbox

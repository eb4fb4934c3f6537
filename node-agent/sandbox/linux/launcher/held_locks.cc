#include "node-agent/sandbox/linux/launcher/held_locks.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/proc_listing.h"

namespace paddock::sandbox {
namespace {

class LockCount {
 public:
  explicit LockCount(int64_t most) : most_(most), text_(64 << 10, '\0') {}
  bool is_over() const { return count_ > most_; }
  int64_t count() const { return count_; }

  // Those of one table of open files.
  void add_table(int task) {
    const os::ProcListing files = os::open_proc_listing(task, "fdinfo");
    while (const char* name = is_over() ? nullptr : os::next_entry(files)) {
      const os::Fd file(openat(dirfd(files.get()), name, O_RDONLY | O_CLOEXEC));
      if (file.valid()) add_file(file.get());
    }
  }

 private:
  // One line each: `lock:	1: POSIX  ADVISORY  WRITE 17 fd:01:4711 0 0`. No other begins so.
  void add_file(int file) {
    bool at_start = true;
    for (ssize_t n = 0; !is_over() && (n = read(file, text_.data(), text_.size())) > 0;) {
      std::string_view left(text_.data(), static_cast<size_t>(n));
      while (!left.empty()) {
        if (at_start && left.front() == 'l' && ++count_ > most_) return;
        const size_t end = left.find('\n');
        at_start = end != std::string_view::npos;
        left.remove_prefix(at_start ? end + 1 : left.size());
      }
      if (static_cast<size_t>(n) < text_.size()) return;  // the kernel gives all that it has
    }
  }

  int64_t most_;
  std::string text_;
  int64_t count_ = 0;
};

// Where the kernel compares nothing, threads have what their process has.
bool have_tables_of_their_own(pid_t one, pid_t other) {
  return syscall(SYS_kcmp, one, other, KCMP_FILES, 0, 0) > 0;
}

void add_children(int task, std::vector<pid_t>& out) {
  const os::Fd file(openat(task, "children", O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return;
  const auto text = os::read_all(file.get(), size_t{1} << 20);
  if (!text.ok()) return;
  for (const std::string& word : split(*text, ' ')) {
    if (const auto pid = parse_integer<pid_t>(word)) out.push_back(*pid);
  }
}

void add_process(pid_t process, LockCount& locks, std::vector<pid_t>& left) {
  const os::ProcListing tasks =
      os::open_proc_listing(AT_FDCWD, cat("/proc/", process, "/task").c_str());
  pid_t last_counted = 0;
  while (const char* name = locks.is_over() ? nullptr : os::next_entry(tasks)) {
    const os::Fd task(openat(dirfd(tasks.get()), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!task.valid()) continue;
    const pid_t thread = parse_integer<pid_t>(name).value_or(0);
    if (last_counted == 0 || have_tables_of_their_own(last_counted, thread)) {
      locks.add_table(task.get());
      last_counted = thread;
    }
    add_children(task.get(), left);
  }
}

}  // namespace

int64_t held_locks(pid_t top, int64_t most) {
  LockCount locks(most);
  std::vector<pid_t> left = {top};
  while (!left.empty() && !locks.is_over()) {
    const pid_t process = left.back();
    left.pop_back();
    add_process(process, locks, left);
  }
  return locks.count();
}

}  // namespace paddock::sandbox

#include "node-agent/sandbox/linux/launcher/held_locks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "common/os/copied_descriptor.h"
#include "common/os/fd.h"
#include "common/os/proc_listing.h"
#include "common/os/proc_text.h"
#include "node-agent/sandbox/linux/launcher/open_folders.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMostOfALine = 256;

// Of a process that is not dumpable an ordinary user may read no more than this.
bool waits_for_room_in_local_socket(int task) {
  const std::string text = os::proc_text(task, "wchan", kMostOfALine);
  const auto where = std::string_view(text).substr(0, text.find('.'));
  return where == "sock_alloc_send_pskb" || where == "sock_wait_for_wmem" ||
         where == "unix_wait_for_peer" || where == "unix_dgram_sendmsg";
}

// `46 0x5 …`: the call in which it waits.
bool waits_in_sending(int task) {
  const os::Fd file(openat(task, "syscall", O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return errno == EACCES && waits_for_room_in_local_socket(task);
  const std::string text = os::proc_text(task, "syscall", kMostOfALine);
  const auto call = parse_integer<long>(std::string_view(text).substr(0, text.find(' ')));
  return call == SYS_sendmsg || call == SYS_sendmmsg;
}

// Only local sockets take descriptors, and they wait elsewhere in the kernel than TCP, and than a
// call about which the launcher is asked. `0`, where the kernel does not tell, is none of these.
bool waits_where_no_folder_is(int task) {
  const std::string text = os::proc_text(task, "wchan", kMostOfALine);
  // `seccomp_do_user_notification.isra.0`: as the compiler names it.
  const auto where = std::string_view(text).substr(0, text.find('.'));
  return where == "wait_woken" || where == "sk_stream_wait_memory" ||
         where == "seccomp_do_user_notification";
}

class Count {
 public:
  Count(const HeldMemory& most, bool folders)
      : most_(most), looks_at_folders_(folders), text_(64 << 10, '\0') {}
  bool is_over() const {
    return locks_ > most_.locks || (looks_at_folders_ && folders_.bytes() > most_.folder_bytes);
  }
  HeldMemory held() const { return {locks_, folders_.bytes()}; }

  // What the thread is just sending, unless it waits for something else. Asked again at the end: a
  // thread that was woken meanwhile waits nowhere.
  void add_call(int task) {
    if (!looks_at_folders_) return;
    if (waits_in_sending(task) && !waits_where_no_folder_is(task) && waits_in_sending(task))
      folders_.add_sender();
  }

  // What one table of open files holds.
  void add_table(pid_t thread, int task) {
    const os::ProcListing files = os::open_proc_listing(task, "fdinfo");
    const os::Fd links(looks_at_folders_ ? openat(task, "fd", os::kProcFolder) : -1);
    const os::Fd process =
        looks_at_folders_ && !links.valid() ? os::descriptors_of(thread) : os::Fd();
    while (const char* name = is_over() ? nullptr : os::next_entry(files)) {
      const os::Fd file(openat(dirfd(files.get()), name, O_RDONLY | O_CLOEXEC));
      if (!file.valid()) continue;
      is_path_ = false;
      add_file(file.get());
      if (looks_at_folders_ && !is_path_) add_folder(thread, links.get(), process, name);
    }
  }

 private:
  // Of a process that is not dumpable an ordinary user sees no links, and is given copies.
  void add_folder(pid_t thread, int links, const os::Fd& process, const char* descriptor) {
    const int number = parse_integer<int>(descriptor).value_or(-1);
    if (links >= 0) return folders_.add(thread, number, links, descriptor);
    const os::Fd copy = os::copied_descriptor(process, number);
    if (!copy.valid()) return;
    folders_.add(thread, number, AT_FDCWD, cat("/proc/self/fd/", copy.get()).c_str());
  }

  // A line for each lock: `lock:	1: POSIX  ADVISORY  WRITE 17 fd:01:4711 0 0`. No other
  // begins so.
  void add_file(int file) {
    bool at_start = true;
    for (ssize_t n = 0; !is_over() && (n = read(file, text_.data(), text_.size())) > 0;) {
      std::string_view left(text_.data(), static_cast<size_t>(n));
      while (!left.empty()) {
        if (at_start && left.front() == 'l' && ++locks_ > most_.locks) return;
        if (at_start && looks_at_folders_) note(left.substr(0, left.find('\n')));
        const size_t end = left.find('\n');
        at_start = end != std::string_view::npos;
        left.remove_prefix(at_start ? end + 1 : left.size());
      }
      if (static_cast<size_t>(n) < text_.size()) return;  // the kernel gives all that it has
    }
  }

  // `scm_fds: 3`: of a local socket, what was sent there and nobody has received. `flags:
  // 012100000`: of a descriptor that is a path, whoever has it can read nothing.
  void note(std::string_view line) {
    constexpr std::string_view kUnderWay = "scm_fds: ";
    constexpr std::string_view kFlags = "flags:\t";
    constexpr std::string_view kInode = "ino:\t";
    unsigned flags = 0;
    if (line.starts_with(kUnderWay)) {
      line.remove_prefix(kUnderWay.size());
      // Processes share a socket that they have inherited.
      if (sockets_.insert(inode_).second)
        folders_.add_under_way(parse_integer<int64_t>(line).value_or(0));
    } else if (line.starts_with(kInode)) {
      inode_ = parse_integer<int64_t>(line.substr(kInode.size())).value_or(0);
    } else if (line.starts_with(kFlags)) {
      line.remove_prefix(kFlags.size());
      std::from_chars(line.data(), line.data() + line.size(), flags, 8);
      is_path_ = (flags & O_PATH) != 0;
    }
  }

  HeldMemory most_;
  bool looks_at_folders_;
  std::string text_;
  int64_t locks_ = 0;
  bool is_path_ = false;  // the descriptor that is looked at
  int64_t inode_ = 0;     // of it; the kernel says it first
  std::set<int64_t> sockets_;
  OpenFolders folders_;
};

// Where the kernel compares nothing, threads have what their process has.
bool have_tables_of_their_own(pid_t one, pid_t other) {
  return syscall(SYS_kcmp, one, other, KCMP_FILES, 0, 0) > 0;
}

void add_process(pid_t process, Count& count, std::vector<pid_t>& left) {
  const os::ProcListing tasks =
      os::open_proc_listing(AT_FDCWD, cat("/proc/", process, "/task").c_str());
  pid_t last_counted = 0;
  while (const char* name = count.is_over() ? nullptr : os::next_entry(tasks)) {
    const os::Fd task(openat(dirfd(tasks.get()), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!task.valid()) continue;
    const pid_t thread = parse_integer<pid_t>(name).value_or(0);
    if (last_counted == 0 || have_tables_of_their_own(last_counted, thread)) {
      count.add_table(thread, task.get());
      last_counted = thread;
    }
    count.add_call(task.get());
    os::add_children(task.get(), left);
  }
}

}  // namespace

HeldMemory held_memory(pid_t top, const HeldMemory& most, bool folders) {
  Count count(most, folders);
  std::vector<pid_t> left = {top};
  while (!left.empty() && !count.is_over()) {
    const pid_t process = left.back();
    left.pop_back();
    add_process(process, count, left);
  }
  return count.held();
}

}  // namespace paddock::sandbox

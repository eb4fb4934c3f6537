#include "node-agent/sandbox/linux/launcher/shared_memory_watch.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/proc_listing.h"

namespace paddock::sandbox {
namespace {

constexpr int kMemoryRest = 9;
constexpr Millis kLongestMemoryRest{1000};

// A line of /proc/PID/status, such as `RssShmem:	     128 kB`; 0: it is not there.
int64_t bytes_of(std::string_view status, std::string_view name) {
  const size_t line = status.find(cat("\n", name, ":"));
  if (line == std::string_view::npos) return 0;
  const size_t from = std::min(status.find_first_of("0123456789", line), status.size());
  const size_t end = std::min(status.find(' ', from), status.size());
  return parse_integer<int64_t>(status.substr(from, end - from)).value_or(0) << 10;
}

// What RLIMIT_DATA lets a process hold beyond it without doing anything about it: its stack, code
// that was made by a compiler inside it, data that was sealed once it was filled.
constexpr int64_t kSealed = int64_t{64} << 20;

bool holds_more(pid_t process, int64_t most_bytes) {
  const auto status = os::read_file(cat("/proc/", process, "/status"), 64 << 10);
  if (!status.ok()) return false;
  const auto bytes = [&](const char* name) { return bytes_of(*status, name); };
  return bytes("RssShmem") + bytes("VmPTE") > most_bytes ||
         bytes("RssAnon") + bytes("VmSwap") > most_bytes + kSealed;
}

// The children of each of its threads.
void add_child_processes(pid_t process, std::vector<pid_t>& out) {
  const std::string tasks = cat("/proc/", process, "/task/");
  const os::ProcListing threads = os::open_proc_listing(AT_FDCWD, tasks.c_str());
  while (const char* thread = os::next_entry(threads)) {
    const auto text = os::read_file(cat(tasks, thread, "/children"), size_t{1} << 20);
    if (!text.ok()) continue;
    for (const std::string& word : split(*text, ' ')) {
      if (const auto pid = parse_integer<pid_t>(word)) out.push_back(*pid);
    }
  }
}

bool one_holds_more(pid_t top, int64_t most_bytes) {
  std::vector<pid_t> left = {top};
  while (!left.empty()) {
    const pid_t process = left.back();
    left.pop_back();
    if (holds_more(process, most_bytes)) return true;
    add_child_processes(process, left);
  }
  return false;
}

}  // namespace

bool SharedMemoryWatch::look(const Clock& clock) {
  const MonoTime begin = clock.mono();
  if (begin < rests_until_) return false;
  const bool over = one_holds_more(init_, most_bytes_);
  const MonoTime end = clock.mono();
  rests_until_ = end + std::min(kMemoryRest * (end - begin), kLongestMemoryRest);
  return over;
}

}  // namespace paddock::sandbox

#include "node-agent/sandbox/linux/launcher/shared_memory_watch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/proc_listing.h"
#include "common/os/proc_text.h"

namespace paddock::sandbox {
namespace {

constexpr int kMemoryRest = 9;
constexpr Millis kLongestMemoryRest{1000};

// What RLIMIT_DATA lets a process hold beyond it without doing anything about it: its stack, code
// that was made by a compiler inside it, data that was sealed once it was filled.
constexpr int64_t kSealed = int64_t{64} << 20;

// What the status of a thread says of its process's memory; of one that has ended, nothing.
std::optional<bool> holds_more(const os::Fd& thread, int64_t most_bytes) {
  const std::string status = os::proc_text(thread.get(), "status", 64 << 10);
  if (status.find("\nVmPTE:") == std::string::npos) return std::nullopt;
  const auto bytes = [&](const char* name) { return os::proc_kib(status, name) << 10; };
  return bytes("RssShmem") + bytes("VmPTE") > most_bytes ||
         bytes("RssAnon") + bytes("VmSwap") > most_bytes + kSealed;
}

// Adds the children of each of its threads. Its first thread may have ended before the others.
bool process_holds_more(pid_t process, int64_t most_bytes, std::vector<pid_t>& children) {
  const os::ProcListing threads =
      os::open_proc_listing(AT_FDCWD, cat("/proc/", process, "/task").c_str());
  std::optional<bool> more;
  while (const char* name = os::next_entry(threads)) {
    const os::Fd thread(openat(dirfd(threads.get()), name, os::kProcFolder));
    if (!thread.valid()) continue;
    if (!more) more = holds_more(thread, most_bytes);
    os::add_children(thread.get(), children);
  }
  return more.value_or(false);
}

bool one_holds_more(pid_t top, int64_t most_bytes) {
  std::vector<pid_t> left = {top};
  while (!left.empty()) {
    const pid_t process = left.back();
    left.pop_back();
    if (process_holds_more(process, most_bytes, left)) return true;
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

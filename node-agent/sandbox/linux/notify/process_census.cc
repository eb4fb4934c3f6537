#include "node-agent/sandbox/linux/notify/process_census.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::sandbox {
namespace {

constexpr int kRounds = 8;         // each looks at who was born in the one before
constexpr int kMostBorn = 20'000;  // in one round
// A fork takes its number before its process can be found, so the looking begins this much earlier.
constexpr int kJustBorn = 64;

// The number that was given to a process or thread last, in this process's pid namespace.
std::optional<pid_t> last_number_given() {
  const auto text = os::read_file("/proc/loadavg", 256);
  if (!text.ok()) return std::nullopt;
  const std::string_view line = trim(*text);
  const size_t at = line.rfind(' ');
  return at == std::string_view::npos ? std::nullopt : parse_integer<pid_t>(line.substr(at + 1));
}

// Empty if it has ended, or the kernel does not let us.
std::string pid_namespace(pid_t thread) {
  char text[64];
  const ssize_t n = readlink(cat("/proc/", thread, "/ns/pid").c_str(), text, sizeof text);
  return n > 0 ? std::string(text, static_cast<size_t>(n)) : std::string();
}

class Count {
 public:
  Count(const NotifyingThread& asker, const NotifyingThread::Process& asking, const Clock& clock)
      : asking_(asking), clock_(clock), namespace_(pid_namespace(asker.thread())) {}

  void look_at(pid_t thread) {
    ++out_.looks;
    const auto found = NotifyingThread(thread, clock_).process();
    if (!found || found->user != asking_.user || found->depth < asking_.depth) return;
    // Whose namespace cannot be seen counts.
    const std::string theirs = namespace_.empty() ? std::string() : pid_namespace(thread);
    if (!theirs.empty() && theirs != namespace_) return;
    FilterCount::ProcessFilters& seen = out_.alive[found->pid];
    seen.filters = std::max(seen.filters, found->filters.value_or(0));
    seen.threads = std::max(seen.threads, found->threads);
  }

  bool look_at_all() {
    const std::unique_ptr<DIR, int (*)(DIR*)> all(opendir("/proc"), closedir);
    if (!all) return false;
    while (const dirent* entry = readdir(all.get())) {
      if (const auto process = parse_integer<pid_t>(entry->d_name)) look_at(*process);
    }
    return true;
  }

  ProcessCensus take(bool whole) {
    out_.whole = whole;
    return std::move(out_);
  }

 private:
  const NotifyingThread::Process& asking_;
  const Clock& clock_;
  const std::string namespace_;
  ProcessCensus out_;
};

}  // namespace

ProcessCensus take_census(const NotifyingThread& asker, const NotifyingThread::Process& asking,
                          const Clock& clock) {
  Count count(asker, asking, clock);
  auto from = last_number_given();
  if (!from || !count.look_at_all()) return count.take(false);
  pid_t first = std::max(*from - kJustBorn, 1);
  for (int round = 0; round < kRounds; ++round) {
    const auto to = last_number_given();
    // The numbers have begun again from the lowest, or too many were given.
    if (!to || *to < *from || *to - *from > kMostBorn) break;
    for (pid_t each = first; each <= *to; ++each) count.look_at(each);
    first = *to + 1;
    from = to;
    if (last_number_given() == to) return count.take(true);
  }
  return count.take(false);
}

}  // namespace paddock::sandbox

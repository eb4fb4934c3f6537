#include "node-agent/usage/processes.h"

#include <unistd.h>

#include <cstddef>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::usage {
namespace {

// A program may start as many as its limit lets it: what is beyond is not worth the time to look.
constexpr size_t kMostTasks = 1'000;      // of one process
constexpr size_t kMostProcesses = 2'000;  // of one run

}  // namespace

std::string text_of(const std::string& root, std::string_view path) {
  constexpr size_t kMostBytes = 1 << 20;
  auto text = os::read_file(cat(root, "/", path), kMostBytes);
  return text ? std::move(*text) : std::string();
}

std::optional<int64_t> value_after(std::string_view text, std::string_view key) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    if (line.starts_with(':')) line.remove_prefix(1);
    if (!line.starts_with(' ') && !line.starts_with('\t')) continue;
    if (line.ends_with(" kB")) line.remove_suffix(3);
    return parse_integer<int64_t>(trim(line));
  }
  return std::nullopt;
}

std::vector<pid_t> children_of(const std::string& root, pid_t pid) {
  std::vector<pid_t> out;
  const std::string tasks = cat("proc/", pid, "/task");
  const auto names = os::list_dir(cat(root, "/", tasks));
  if (!names) return out;
  for (size_t i = 0; i < names->size() && i < kMostTasks; ++i) {
    const std::string& task = (*names)[i];
    for (const std::string& word : split(text_of(root, cat(tasks, "/", task, "/children")), ' ')) {
      if (const auto child = parse_integer<pid_t>(trim(word))) out.push_back(*child);
    }
  }
  return out;
}

ProcessSums sums_of(std::string_view stat, int64_t ticks_per_second, int64_t page_bytes) {
  constexpr size_t kUser = 11, kThreads = 17, kResident = 21;  // behind the name, from 0
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > stat.size()) return {};
  const std::vector<std::string> fields = split(stat.substr(name_end + 2), ' ');
  if (fields.size() <= kResident) return {};
  const auto number = [&](size_t i) { return parse_integer<int64_t>(fields[i]).value_or(0); };
  int64_t ticks = 0;
  for (size_t i = kUser; i < kUser + 4; ++i) ticks += number(i);
  return {ticks * (1'000'000'000 / ticks_per_second), number(kResident) * page_bytes,
          number(kThreads)};
}

ProcessSums sums_below(const std::string& root, pid_t top) {
  const int64_t ticks = ::sysconf(_SC_CLK_TCK), page = ::sysconf(_SC_PAGESIZE);
  ProcessSums all;
  std::vector<pid_t> found = children_of(root, top);
  for (size_t i = 0; i < found.size() && i < kMostProcesses; ++i) {
    const pid_t pid = found[i];
    const ProcessSums one = sums_of(text_of(root, cat("proc/", pid, "/stat")), ticks, page);
    all.cpu_ns += one.cpu_ns;
    all.resident += one.resident;
    all.tasks += one.tasks;
    for (const pid_t child : children_of(root, pid)) found.push_back(child);
  }
  return all;
}

}  // namespace paddock::usage

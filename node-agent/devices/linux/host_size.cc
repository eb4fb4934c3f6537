#include "node-agent/devices/host_size.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "node-agent/devices/proc_text.h"

namespace paddock::devices {
namespace {

int64_t number_in(const std::string& root, const char* file) {
  return parse_integer<int64_t>(trim(read_or_empty(root, file))).value_or(0);
}

int64_t processors(const std::string& root) {
  int64_t count = 0;
  for (const std::string& line : split(read_or_empty(root, "proc/stat"), '\n')) {
    if (line.starts_with("cpu") && line.size() > 3 && line[3] >= '0' && line[3] <= '9') ++count;
  }
  return count;
}

int64_t memory(const std::string& root) {
  std::string value = value_of(read_or_empty(root, "proc/meminfo"), "MemTotal");
  if (value.ends_with(" kB")) value.resize(value.size() - 3);
  return parse_integer<int64_t>(trim(value)).value_or(0) * 1024;
}

// How many a list such as "0-3,8" names; nothing: it is none.
std::optional<int64_t> count_of_list(std::string_view list) {
  int64_t count = 0;
  for (const std::string& part : split(list, ',')) {
    const size_t dash = part.find('-');
    const auto first = parse_integer<int64_t>(part.substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : parse_integer<int64_t>(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    count += *last - *first + 1;
  }
  return count;
}

// The folder and the file of a line of /proc/self/cgroup that tell of memory, of either version.
std::optional<std::pair<std::string, const char*>> memory_group(const std::string& line) {
  const std::vector<std::string> parts = split(line, ':');
  if (parts.size() != 3 || parts[2].find("..") != std::string::npos) return std::nullopt;
  if (parts[0] == "0" && parts[1].empty())
    return std::pair{cat("sys/fs/cgroup", parts[2]), "memory.max"};
  const std::vector<std::string> controllers = split(parts[1], ',');
  if (std::ranges::find(controllers, "memory") == controllers.end()) return std::nullopt;
  return std::pair{cat("sys/fs/cgroup/memory", parts[2]), "memory.limit_in_bytes"};
}

// The smallest of what this process's cgroup and those above it may hold; a folder that is not
// there is another view of it, whose own root says the same.
int64_t memory_limit(const std::string& root) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const std::string& line : split(read_or_empty(root, "proc/self/cgroup"), '\n')) {
    auto group = memory_group(line);
    while (group && group->first.starts_with("sys/fs/cgroup")) {
      const std::string text = read_or_empty(root, os::join_path(group->first, group->second));
      if (const auto limit = parse_integer<int64_t>(trim(text))) least = std::min(least, *limit);
      group->first.resize(group->first.rfind('/'));
    }
  }
  return least;
}

}  // namespace

int64_t cpu_count(const std::string& root) {
  const auto allowed =
      count_of_list(value_of(read_or_empty(root, "proc/self/status"), "Cpus_allowed_list"));
  return std::min(processors(root), allowed.value_or(std::numeric_limits<int64_t>::max()));
}

int64_t memory_bytes(const std::string& root) { return std::min(memory(root), memory_limit(root)); }

// The most processes that the kernel allows: it must have a number for each, and its memory limits
// how many threads there may be.
int64_t most_processes(const std::string& root) {
  return std::min(number_in(root, "proc/sys/kernel/pid_max"),
                  number_in(root, "proc/sys/kernel/threads-max"));
}

}  // namespace paddock::devices

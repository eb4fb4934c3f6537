#include "node-agent/devices/host_size.h"

#include <algorithm>

#include "node-agent/devices/proc_text.h"

namespace paddock::devices {
namespace {

int64_t number_in(const std::string& root, const char* file) {
  return parse_integer<int64_t>(trim(read_or_empty(root, file))).value_or(0);
}

}  // namespace

int64_t cpu_count(const std::string& root) {
  int64_t count = 0;
  for (const std::string& line : split(read_or_empty(root, "proc/stat"), '\n')) {
    if (line.starts_with("cpu") && line.size() > 3 && line[3] >= '0' && line[3] <= '9') ++count;
  }
  return count;
}

int64_t memory_bytes(const std::string& root) {
  std::string value = value_of(read_or_empty(root, "proc/meminfo"), "MemTotal");
  if (value.ends_with(" kB")) value.resize(value.size() - 3);
  return parse_integer<int64_t>(trim(value)).value_or(0) * 1024;
}

// What they can be numbered by, and what there is memory for.
int64_t most_processes(const std::string& root) {
  return std::min(number_in(root, "proc/sys/kernel/pid_max"),
                  number_in(root, "proc/sys/kernel/threads-max"));
}

}  // namespace paddock::devices

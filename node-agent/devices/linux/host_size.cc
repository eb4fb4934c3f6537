#include "node-agent/devices/host_size.h"

#include "node-agent/devices/proc_text.h"

namespace paddock::devices {

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

}  // namespace paddock::devices

// Processes and their sums, as /proc tells them below a given root.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::usage {

// A small file of the kernel; empty if it cannot be read. `path` without the root, with or without
// a slash before it.
std::string text_of(const std::string& root, std::string_view path);
// The number after `key` at the start of a line, with or without a colon between them.
std::optional<int64_t> value_after(std::string_view text, std::string_view key);

std::vector<pid_t> children_of(const std::string& root, pid_t pid);

struct ProcessSums {
  int64_t cpu_ns = 0;    // with that of children that were waited for
  int64_t resident = 0;  // bytes; what several share counts for each
  int64_t tasks = 0;
};
// Sums up the processes below this one; if there are very many, the first ones.
ProcessSums sums_below(const std::string& root, pid_t top);
// One line of /proc/<pid>/stat, whose second field may be any text. Pure.
ProcessSums sums_of(std::string_view stat, int64_t ticks_per_second, int64_t page_bytes);

}  // namespace paddock::usage

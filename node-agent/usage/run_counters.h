// The kernel's counters of one run: of its cgroup if the launcher made one, else of its processes.
// Reads a handful of small files; nothing that a run writes is in any of them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace paddock::usage {

struct Counters {
  std::optional<int64_t> cpu_ns;  // since the run began
  // Bytes, without cached files that nobody has used lately: the kernel takes those back at once.
  std::optional<int64_t> memory;
  std::optional<int64_t> tasks;  // processes and threads, without the sandbox's own first one
};

// The folders of a run's own cgroup, one of each kind; empty: the run shares that with others.
struct CgroupFolders {
  bool v2 = false;
  std::string cpu, memory, pids;
};

class RunCounters {
 public:
  // `root`: "/" in production.
  RunCounters(std::string root, pid_t launcher) : root_(std::move(root)), launcher_(launcher) {}
  Counters read();

 private:
  std::optional<CgroupFolders> find() const;
  const std::string root_;
  const pid_t launcher_;
  std::optional<CgroupFolders> folders_;  // none: it was not seen yet, or the host makes none
};

// From the texts of a sandbox process's /proc/<pid>/cgroup and of our /proc/self/mountinfo. A
// launcher puts its pid into the name of the run's cgroup. Pure.
CgroupFolders folders_of(std::string_view cgroups, std::string_view mountinfo, pid_t launcher);

}  // namespace paddock::usage

// The files about the machine that a command reads. They show the part of it that is the run's own:
// a program that asks /proc or /sys how many processors and how much memory there are gets the
// run's share, so that it starts as many threads as it has processors. These files say nothing
// about the host that system calls would not say too. Plain values; proc_contents.cc is pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/launch.h"

namespace paddock::sandbox {

// The facts that a launcher finds out once about its host.
struct MachineFacts {
  std::vector<int> processors;         // that this launcher may use, ascending
  std::map<int, std::string> cpuinfo;  // lines of /proc/cpuinfo by processor
  std::string whole_cpuinfo;           // what a run with all of them is told
  int64_t memory_bytes = 0;
  std::string release;  // of the kernel, as uname tells it to everybody
  std::string version;
  std::map<std::string, std::string> settings;  // of kSharedSettings, by path
};

// Settings of the kernel that decide how it treats a program: allocators, runtimes and programs
// that would make sandboxes ask for them.
inline constexpr const char* kSharedSettings[] = {"vm/overcommit_memory", "vm/max_map_count",
                                                  "kernel/cap_last_cap", "kernel/overflowuid",
                                                  "kernel/overflowgid"};

// The share of the host that one run sees.
struct MachineShare {
  std::shared_ptr<const MachineFacts> machine = std::make_shared<const MachineFacts>();
  std::vector<int> processors;
  std::optional<int64_t> memory_bytes;
  std::optional<int64_t> pids;
  std::string mounts;  // mounts_text() of its view
};

// When and for whom the files are made.
struct MachineMoment {
  double since_boot = 0;  // seconds, on the clock that counts since the machine's start
  int64_t wall_seconds = 0;
  std::string id;  // of this run's machine, as a UUID
};

// Something below /proc.
struct ProcFile {
  enum class Kind { kFile, kLink, kFolder };
  std::string path;
  std::string content;  // or where the link points to
  Kind kind = Kind::kFile;
  bool operator==(const ProcFile&) const = default;
};

// The place that /sys/devices/system/cpu leads to: these files change with the run, like the others
// here.
inline constexpr const char* kProcessorsFolder = "sys/cpu";

// The lines of each processor, without what is about the host as a whole: serial numbers, the
// state of its firmware.
std::map<int, std::string> split_cpuinfo(std::string_view text);

// `wanted` of the launcher's: as many as the request allots, and never more than half of the tasks
// that it may have, since libraries start a thread for each at once. `request.processors` says
// which; where it does not, they are counted from `turn` on.
std::vector<int> choose_processors(const MachineFacts& machine,
                                   const contracts::LaunchRequest& request, uint64_t turn);
// `0-3,8`
std::string processor_list(const std::vector<int>& processors);

// The text of /proc/cpuinfo for a share.
std::string cpuinfo_of(const MachineFacts& machine, const std::vector<int>& processors);

// In the order in which they are made.
std::vector<ProcFile> proc_files(const MachineShare& share, const MachineMoment& moment);

}  // namespace paddock::sandbox

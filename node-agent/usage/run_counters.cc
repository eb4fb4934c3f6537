#include "node-agent/usage/run_counters.h"

#include <vector>

#include "common/base/text.h"
#include "common/os/cgroup_paths.h"
#include "node-agent/usage/processes.h"

namespace paddock::usage {
namespace {

std::optional<int64_t> number_in(const std::string& root, const std::string& folder,
                                 const char* file) {
  if (folder.empty()) return std::nullopt;
  return parse_integer<int64_t>(trim(text_of(root, cat(folder, "/", file))));
}

std::optional<int64_t> keyed_in(const std::string& root, const std::string& folder,
                                const char* file, std::string_view key) {
  if (folder.empty()) return std::nullopt;
  return value_after(text_of(root, cat(folder, "/", file)), key);
}

template <class T>
std::optional<T> without(std::optional<T> all, std::optional<T> some) {
  if (!all) return std::nullopt;
  return std::max(T{0}, *all - some.value_or(0));
}

Counters read_v1(const std::string& root, const CgroupFolders& in) {
  return {number_in(root, in.cpu, "cpuacct.usage"),
          without(number_in(root, in.memory, "memory.usage_in_bytes"),
                  keyed_in(root, in.memory, "memory.stat", "total_inactive_file")),
          without(number_in(root, in.pids, "pids.current"), std::optional<int64_t>(1))};
}

Counters read_v2(const std::string& root, const CgroupFolders& in) {
  auto cpu = keyed_in(root, in.cpu, "cpu.stat", "usage_usec");
  if (cpu) *cpu *= 1000;
  return {cpu,
          without(number_in(root, in.memory, "memory.current"),
                  keyed_in(root, in.memory, "memory.stat", "inactive_file")),
          without(number_in(root, in.pids, "pids.current"), std::optional<int64_t>(1))};
}

}  // namespace

CgroupFolders folders_of(std::string_view cgroups, std::string_view mountinfo, pid_t launcher) {
  const std::vector<os::CgroupMount> mounts = os::cgroup_mounts(mountinfo);
  const std::string mark = cat("/paddock-", launcher, "-");
  const auto own = [&](std::string_view controller) {
    std::string folder = os::cgroup_folder_of(controller, cgroups, mounts);
    return folder.find(mark) == std::string::npos ? std::string() : folder;
  };
  if (const std::string all = own(""); !all.empty()) return {true, all, all, all};
  return {false, own("cpuacct"), own("memory"), own("pids")};
}

// Nothing as long as no process of the launcher is in a cgroup of the run's own.
std::optional<CgroupFolders> RunCounters::find() const {
  const std::string mountinfo = text_of(root_, "proc/self/mountinfo");
  for (const pid_t child : children_of(root_, launcher_)) {
    CgroupFolders found =
        folders_of(text_of(root_, cat("proc/", child, "/cgroup")), mountinfo, launcher_);
    if (!found.cpu.empty() || !found.memory.empty() || !found.pids.empty()) return found;
  }
  return std::nullopt;
}

Counters RunCounters::read() {
  if (!folders_) folders_ = find();
  Counters out;
  if (folders_) out = folders_->v2 ? read_v2(root_, *folders_) : read_v1(root_, *folders_);
  if (out.cpu_ns && out.memory && out.tasks) return out;
  const ProcessSums sums = sums_below(root_, launcher_);
  if (sums.tasks == 0) return out;
  if (!out.cpu_ns) out.cpu_ns = sums.cpu_ns;
  if (!out.memory) out.memory = sums.resident;
  if (!out.tasks) out.tasks = sums.tasks;
  return out;
}

}  // namespace paddock::usage

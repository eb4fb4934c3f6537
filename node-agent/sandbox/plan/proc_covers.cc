#include "node-agent/sandbox/plan/proc_covers.h"

#include <algorithm>
#include <array>

#include "common/contracts/inner_paths.h"

namespace paddock::sandbox {
namespace {

constexpr std::array<std::string_view, 3> kBelowSys = {"sys/kernel/threads-max",
                                                       "sys/kernel/random", kProcessorsFolder};
constexpr std::array<std::string_view, 7> kOfOneRun = {
    "meminfo", "stat", "uptime", "mounts", "vmstat", "sys/kernel/threads-max", "sys/kernel/random"};

}  // namespace

std::string_view proc_cover(std::string_view path) {
  for (const std::string_view each : kBelowSys) {
    if (contracts::is_within(path, each)) return each;
  }
  return path.substr(0, path.find('/'));
}

std::vector<std::string> proc_covers(const std::vector<ProcFile>& table) {
  std::vector<std::string> out;
  for (const ProcFile& file : table) {
    const std::string_view cover = proc_cover(file.path);
    if (std::ranges::find(out, cover) == out.end()) out.emplace_back(cover);
  }
  std::stable_partition(out.begin(), out.end(), [](const std::string& cover) {
    return cover.find('/') == std::string::npos;
  });
  return out;
}

bool is_of_one_run(std::string_view cover) { return std::ranges::count(kOfOneRun, cover) > 0; }

bool differs(std::string_view cover, const std::vector<ProcFile>& table,
             const std::vector<ProcFile>& ready) {
  const auto within = [&](const ProcFile& file) { return proc_cover(file.path) == cover; };
  const auto there = [&](const ProcFile& file) { return std::ranges::count(ready, file) > 0; };
  if (std::ranges::count_if(table, within) != std::ranges::count_if(ready, within)) return true;
  return !std::ranges::all_of(table,
                              [&](const ProcFile& file) { return !within(file) || there(file); });
}

}  // namespace paddock::sandbox

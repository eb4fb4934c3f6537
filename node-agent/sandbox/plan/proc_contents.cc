#include "node-agent/sandbox/plan/proc_contents.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "common/base/text.h"
#include "node-agent/sandbox/egress/host_name.h"

namespace paddock::sandbox {
namespace {

struct CpuLine {
  std::string key;
  std::string value;
};

// Keys are padded by tabs.
std::optional<CpuLine> read_line(const std::string& line) {
  const size_t colon = line.find(':');
  if (colon == std::string::npos) return std::nullopt;
  return CpuLine{std::string(trim(line.substr(0, colon))),
                 std::string(trim(line.substr(colon + 1)))};
}

std::string value_of(const std::string& lines, std::string_view key) {
  for (const std::string& line : split(lines, '\n')) {
    const auto read = read_line(line);
    if (read && read->key == key) return read->value;
  }
  return {};
}

// How many of the share's processors are of the same package, and how many cores those are.
struct Package {
  size_t processors = 0;
  std::set<std::string> cores;
};

std::map<std::string, Package> packages_of(const MachineFacts& machine,
                                           const std::vector<int>& processors) {
  std::map<std::string, Package> out;
  for (const int processor : processors) {
    const auto found = machine.cpuinfo.find(processor);
    if (found == machine.cpuinfo.end()) continue;
    Package& package = out[value_of(found->second, "physical id")];
    ++package.processors;
    package.cores.insert(value_of(found->second, "core id"));
  }
  return out;
}

std::string with_own_counts(const std::string& lines, const Package& package) {
  std::string out;
  for (const std::string& line : split(lines, '\n')) {
    const auto read = read_line(line);
    const std::string head = line.substr(0, line.find(':'));
    if (read && read->key == "siblings") {
      out += cat(head, ": ", package.processors, "\n");
    } else if (read && read->key == "cpu cores") {
      out += cat(head, ": ", package.cores.size(), "\n");
    } else if (!line.empty()) {
      out += cat(line, "\n");
    }
  }
  return out;
}

std::string cpuinfo(const MachineShare& share) {
  const MachineFacts& machine = *share.machine;
  const bool whole = share.processors == machine.processors && !machine.whole_cpuinfo.empty();
  return whole ? machine.whole_cpuinfo : cpuinfo_of(machine, share.processors);
}

// The run's memory limit, or the machine's memory if that is less.
int64_t memory_of(const MachineShare& share) {
  const int64_t there = share.machine->memory_bytes;
  const int64_t limit = share.memory_bytes.value_or(there);
  return there > 0 ? std::min(limit, there) : limit;
}

std::string meminfo(const MachineShare& share) {
  constexpr std::array kNone = {
      "Buffers",  "Cached",       "SwapCached", "Active",      "Inactive",  "SwapTotal",
      "SwapFree", "Dirty",        "Writeback",  "AnonPages",   "Mapped",    "Shmem",
      "Slab",     "SReclaimable", "SUnreclaim", "KernelStack", "PageTables"};
  const int64_t kib = memory_of(share) >> 10;
  std::string out;
  for (const char* all : {"MemTotal", "MemFree", "MemAvailable"})
    out += cat(all, ": ", kib, " kB\n");
  for (const char* none : kNone) out += cat(none, ": 0 kB\n");
  return out + cat("CommitLimit: ", kib, " kB\nCommitted_AS: 0 kB\n");
}

// The lines that vmstat, top and psutil read, in the kernel's order.
std::string vmstat(const MachineShare& share) {
  std::string out = cat("nr_free_pages ", memory_of(share) >> 12, "\n");
  for (const char* none : {"pgpgin", "pgpgout", "pswpin", "pswpout", "pgfault", "pgmajfault"})
    out += cat(none, " 0\n");
  return out;
}

// Counters begin with the run. The start of the machine does not: the clocks tell it to everybody,
// and the kernel gives the start of each process in it, of which ps and psutil make a date.
std::string stat(const MachineShare& share, const MachineMoment& moment) {
  constexpr const char* kTimes = " 0 0 0 0 0 0 0 0 0 0\n";
  std::string out = cat("cpu ", kTimes);
  for (const int processor : share.processors) out += cat("cpu", processor, kTimes);
  return out + cat("intr 0\nctxt 0\nbtime ",
                   moment.wall_seconds - static_cast<int64_t>(moment.since_boot),
                   "\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n"
                   "softirq 0 0 0 0 0 0 0 0 0 0 0\n");
}

std::string uptime(const MachineMoment& moment) {
  std::array<char, 64> text = {};
  (void)std::snprintf(text.data(), text.size(), "%.2f 0.00\n", moment.since_boot);
  return text.data();
}

void add_settings(const MachineShare& share, const MachineMoment& moment,
                  std::vector<ProcFile>& out) {
  const auto add = [&](std::string_view path, const std::string& content) {
    out.push_back({cat("sys/", path), cat(content, "\n")});
  };
  add("kernel/ostype", "Linux");
  add("kernel/osrelease", share.machine->release);
  add("kernel/version", share.machine->version);
  add("kernel/hostname", std::string(kHostName));
  add("kernel/domainname", "(none)");
  add("kernel/pid_max", "4194304");
  add("kernel/threads-max", cat(share.pids.value_or(4194304)));
  add("kernel/ngroups_max", "65536");
  add("kernel/random/boot_id", moment.id);
  add("kernel/random/uuid", moment.id);  // the kernel's own is put over it
  add("fs/pipe-max-size", "1048576");
  add("net/core/somaxconn", "4096");
  for (const auto& [path, value] : share.machine->settings) add(path, value);
}

// Where libraries look for how many processors there are and which. Nothing else of /sys.
void add_processors(const MachineShare& share, std::vector<ProcFile>& out) {
  if (share.processors.empty()) return;
  for (const char* list : {"online", "possible", "present"})
    out.push_back({cat(kProcessorsFolder, "/", list), cat(processor_list(share.processors), "\n")});
  for (const int each : share.processors)
    out.push_back({cat(kProcessorsFolder, "/cpu", each), "", ProcFile::Kind::kFolder});
}

}  // namespace

std::map<int, std::string> split_cpuinfo(std::string_view text) {
  constexpr std::array kOfTheHost = {"microcode", "bugs", "Serial", "Hardware", "Revision"};
  std::map<int, std::string> out;
  std::optional<int> at;
  for (const std::string& line : split(text, '\n')) {
    const auto read = read_line(line);
    if (!read) at.reset();
    if (read && read->key == "processor") at = parse_integer<int>(read->value);
    if (!at || !read || std::ranges::count(kOfTheHost, read->key) > 0) continue;
    out[*at] += cat(line, "\n");
  }
  return out;
}

std::string cpuinfo_of(const MachineFacts& machine, const std::vector<int>& processors) {
  const std::map<std::string, Package> packages = packages_of(machine, processors);
  std::string out;
  for (const int processor : processors) {
    const auto found = machine.cpuinfo.find(processor);
    if (found == machine.cpuinfo.end()) {
      out += cat("processor\t: ", processor, "\n\n");
      continue;
    }
    const Package& own = packages.at(value_of(found->second, "physical id"));
    out += cat(with_own_counts(found->second, own), "\n");
  }
  return out;
}

std::vector<int> choose_processors(const MachineFacts& machine,
                                   const contracts::LaunchRequest& request, uint64_t turn) {
  const std::vector<int>& all = machine.processors;
  size_t wanted = all.size();
  if (request.cpus) wanted = std::min(wanted, static_cast<size_t>(*request.cpus));
  if (const auto& pids = request.policy.limits.pids)
    wanted = std::min(wanted, static_cast<size_t>(std::max<int64_t>(*pids / 2, 1)));
  std::vector<int> out;
  for (const int64_t each : request.processors) {
    const auto found = std::ranges::find(all, each);
    if (found != all.end() && out.size() < wanted && std::ranges::count(out, *found) == 0)
      out.push_back(*found);
  }
  for (size_t i = 0; i < all.size() && out.size() < wanted; ++i) {
    const int next = all[(turn + i) % all.size()];
    if (std::ranges::count(out, next) == 0) out.push_back(next);
  }
  std::ranges::sort(out);
  return out;
}

std::string processor_list(const std::vector<int>& processors) {
  std::string out;
  for (size_t i = 0; i < processors.size();) {
    size_t end = i;
    while (end + 1 < processors.size() && processors[end + 1] == processors[end] + 1) ++end;
    out += cat(out.empty() ? "" : ",", processors[i]);
    if (end > i) out += cat("-", processors[end]);
    i = end + 1;
  }
  return out;
}

std::vector<ProcFile> proc_files(const MachineShare& share, const MachineMoment& moment) {
  std::vector<ProcFile> out = {
      {"cpuinfo", cpuinfo(share)},
      {"meminfo", meminfo(share)},
      {"stat", stat(share, moment)},
      {"uptime", uptime(moment)},
      {"loadavg", "0.00 0.00 0.00 1/1 1\n"},
      {"version", cat("Linux version ", share.machine->release, " ", share.machine->version, "\n")},
      {"filesystems", "nodev\tproc\nnodev\ttmpfs\nnodev\tdevpts\nnodev\toverlay\n"},
      {"mounts", share.mounts},
      {"vmstat", vmstat(share)},
      {"diskstats", ""},
      {"net", "self/net", ProcFile::Kind::kLink},
  };
  add_settings(share, moment, out);
  add_processors(share, out);
  return out;
}

}  // namespace paddock::sandbox

#include "node-agent/sandbox/linux/cgroup/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <set>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {

namespace cgroup_files {

std::optional<std::string> read_text(const std::string& folder, const char* file) {
  const os::Fd fd(open(cat(folder, "/", file).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return std::nullopt;
  auto text = os::read_all(fd.get(), size_t{1} << 20);
  if (!text.ok()) return std::nullopt;
  return std::move(text).value();
}

Status write_setting(const std::string& folder, const char* file, std::string_view text) {
  const os::Fd fd(open(cat(folder, "/", file).c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) return step_error(cat("opening the cgroup's ", file), errno);
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return step_error(cat("setting the cgroup's ", file), errno);
  }
  return {};
}

std::optional<int64_t> value_of(std::string_view text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ')
      return parse_integer<int64_t>(trim(std::string_view(line).substr(key.size())));
  }
  return std::nullopt;
}

std::optional<int64_t> read_keyed(const std::string& folder, const char* file,
                                  std::string_view key) {
  const auto text = read_text(folder, file);
  return text ? value_of(*text, key) : std::nullopt;
}

// False: nobody is left.
bool kill_members(const std::string& folder) {
  const auto members = read_text(folder, "cgroup.procs");
  if (!members || members->empty()) return false;
  for (const std::string& line : split(*members, '\n')) {
    // 0 is a process of another pid namespace: not ours to reach by number.
    if (const auto pid = parse_integer<pid_t>(line); pid && *pid > 1) kill(*pid, SIGKILL);
  }
  return true;
}

void kill_once(const std::string& folder) {
  // If the kernel cannot kill the whole cgroup, its processes are killed one by one.
  if (!write_setting(folder, "cgroup.kill", "1").ok()) (void)kill_members(folder);
}

bool says_frozen(std::string_view text) {
  return trim(text) == "FROZEN" || value_of(text, "frozen") == 1;
}

void kill_inside(const std::string& folder) {
  (void)write_setting(folder, "freezer.state", "THAWED");  // v1: else what is killed stays
  (void)write_setting(folder, "cgroup.kill", "1");
  constexpr int kMostRounds = 2000;
  for (int round = 0; round < kMostRounds && kill_members(folder); ++round)
    poll(nullptr, 0, round < 20 ? 0 : 1);  // they need the processor to die
}

void remove_folder(const std::string& folder) {
  constexpr int kMostRounds = 2000;  // the last member's exit may still be on its way
  for (int round = 0; round < kMostRounds; ++round) {
    if (rmdir(folder.c_str()) == 0 || errno == ENOENT) return;
    kill_inside(folder);
    poll(nullptr, 0, 1);
  }
}

}  // namespace cgroup_files

CgroupFiles::CgroupFiles(const std::string& folder, int flags,
                         std::initializer_list<const char*> files) {
  if (folder.empty()) return;
  for (const char* file : files) {
    os::Fd fd(open(cat(folder, "/", file).c_str(), flags | O_CLOEXEC));
    if (fd.valid()) files_.emplace_back(file, std::move(fd));
  }
}

int CgroupFiles::find(std::string_view file) const {
  for (const auto& [name, fd] : files_) {
    if (name == file) return fd.get();
  }
  return -1;
}

Status CgroupFiles::write(std::string_view file, int64_t value) const {
  const std::string text = cat(value);
  if (::write(find(file), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return step_error(cat("setting the cgroup's ", file), errno);
  return {};
}

std::optional<std::string> CgroupFiles::text(std::string_view file) const {
  std::string out(4096, '\0');
  const ssize_t n = pread(find(file), out.data(), out.size(), 0);
  if (n < 0) return std::nullopt;
  out.resize(static_cast<size_t>(n));
  return out;
}

std::optional<int64_t> CgroupFiles::number(std::string_view file) const {
  const auto read = text(file);
  return read ? parse_integer<int64_t>(trim(*read)) : std::nullopt;
}

std::optional<int64_t> CgroupFiles::keyed(std::string_view file, std::string_view key) const {
  const auto read = text(file);
  return read ? cgroup_files::value_of(*read, key) : std::nullopt;
}

namespace {

class NoCgroup final : public Cgroup {
 public:
  const std::vector<os::Fd>& join_fds() const override { return none_; }
  Status limit(const CgroupSettings&) override { return {}; }
  bool bounds_cpus() const override { return false; }
  const Status& bound_cpus() const override { return nothing_; }
  Readings read() const override { return {}; }
  std::optional<int64_t> tasks() const override { return std::nullopt; }
  void kill_all() override {}
  void remove() override {}

 private:
  std::vector<os::Fd> none_;
  Status nothing_;
};

constexpr std::string_view kGroupPrefix = "paddock-";

// Field 22 of /proc/<pid>/stat; the name in field 2 may contain anything.
std::optional<uint64_t> start_ticks(pid_t pid) {
  const os::Fd fd(open(cat("/proc/", pid, "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return std::nullopt;
  const auto text = os::read_all(fd.get(), 8192);
  if (!text.ok()) return std::nullopt;
  const size_t name_end = text->rfind(')');
  if (name_end == std::string::npos || name_end + 2 > text->size()) return std::nullopt;
  const std::vector<std::string> fields = split(std::string_view(*text).substr(name_end + 2), ' ');
  return fields.size() > 19 ? parse_integer<uint64_t>(fields[19]) : std::nullopt;
}

uint64_t pid_namespace() {
  struct stat info {};
  return stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

std::string own_name() {
  return cat(kGroupPrefix, getpid(), "-", start_ticks(getpid()).value_or(0), "-", pid_namespace());
}

bool is_stale(std::string_view name) {
  if (!name.starts_with(kGroupPrefix)) return false;
  const std::vector<std::string> parts = split(name.substr(kGroupPrefix.size()), '-');
  if (parts.size() != 3) return false;
  const auto pid = parse_integer<pid_t>(parts[0]);
  const auto start = parse_integer<uint64_t>(parts[1]);
  const auto space = parse_integer<uint64_t>(parts[2]);
  if (!pid || !start || !space || *space != pid_namespace()) return false;
  return start_ticks(*pid) != start;
}

}  // namespace

Result<std::unique_ptr<Cgroup>> make_cgroup(const CgroupFacts& facts, bool bounded, bool measured) {
  if (facts.memory.empty() && facts.pids.empty() && facts.cpu.empty())
    return std::unique_ptr<Cgroup>(std::make_unique<NoCgroup>());
  if (facts.version == CgroupFacts::Version::kV2) return make_cgroup_v2(facts, own_name());
  CgroupFacts used = facts;
  const bool apart = facts.bandwidth != facts.cpu && facts.bandwidth != facts.memory;
  if (apart && !bounded) used.bandwidth.clear();
  if (!measured) used.freezer.clear();
  return make_cgroup_v1(used, own_name());
}

void sweep_stale_cgroups(const CgroupFacts& facts) {
  std::map<std::string, bool> stale;  // a launcher has the same name everywhere: asked for once
  std::set<std::string> seen = {""};
  // The freezer's hierarchy comes first, since frozen processes do not end.
  for (const std::string& parent :
       {facts.freezer, facts.memory, facts.pids, facts.cpu, facts.bandwidth}) {
    if (!seen.insert(parent).second) continue;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(parent.c_str()), closedir);
    while (folder != nullptr) {
      const dirent* entry = readdir(folder.get());
      if (entry == nullptr) break;
      const std::string name = entry->d_name;
      const auto [known, is_new] = stale.try_emplace(name, false);
      if (is_new) known->second = is_stale(name);
      if (!known->second) continue;
      const std::string path = cat(parent, "/", name);
      cgroup_files::kill_inside(path);
      cgroup_files::remove_folder(path);
    }
  }
}

}  // namespace paddock::sandbox

// What the files that tell of the machine give away of the host beyond the run's own share, and
// whether they can be changed. Arguments: KiB of memory, the host's boot id.
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include "probe.h"

std::string text_of(const std::string& path) {
  std::string out;
  const int fd = open(path.c_str(), O_RDONLY);
  char bytes[4096];
  for (ssize_t n = 0; fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0;)
    out.append(bytes, static_cast<size_t>(n));
  if (fd >= 0) close(fd);
  return out;
}

long count(const std::string& text, const std::string& part) {
  long out = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++out;
  return out;
}

void expect_unchangeable(const std::string& path) {
  for (const int flags : {O_WRONLY, O_RDWR, O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND})
    expect_refused(path.c_str(), open(path.c_str(), flags));
  expect_refused(path.c_str(), chmod(path.c_str(), 0666));
  expect_refused(path.c_str(), unlink(path.c_str()));
  expect_refused(path.c_str(), rename(path.c_str(), "/tmp/mine"));
  expect_refused(path.c_str(), truncate(path.c_str(), 0));
}

void walk(const std::string& folder) {
  expect_refused(folder.c_str(), open((folder + "/new").c_str(), O_WRONLY | O_CREAT, 0600));
  expect_refused(folder.c_str(), mkdir((folder + "/more").c_str(), 0700));
  DIR* const entries = opendir(folder.c_str());
  if (entries == nullptr) return breach(folder.c_str(), errno);
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entry->d_type == DT_DIR) walk(folder + "/" + name);
    if (entry->d_type == DT_REG) expect_unchangeable(folder + "/" + name);
  }
  closedir(entries);
}

// Each line begins with the kind of a file system, and never with a device or folder of the host.
bool tells_no_sources(const char* path) {
  std::istringstream lines(text_of(path));
  std::set<std::string> places;
  for (std::string source, place, rest; lines >> source >> place && std::getline(lines, rest);) {
    places.insert(place);
    if (source.find('/') != std::string::npos) return false;
  }
  return places.contains("/") && places.contains("/usr") && places.contains("/workspace");
}

int main(int, char** arguments) {
  cpu_set_t own;
  sched_getaffinity(0, sizeof own, &own);
  const long processors = CPU_COUNT(&own);
  if (count(text_of("/proc/cpuinfo"), "processor\t:") != processors) breach("cpuinfo");
  if (count(text_of("/proc/stat"), "\ncpu") != processors) breach("stat");
  if (text_of("/proc/meminfo").find(std::string("MemTotal: ") + arguments[1] + " kB\n") != 0)
    breach("meminfo");
  const std::string boot = text_of("/proc/sys/kernel/random/boot_id");
  if (boot.size() != 37 || boot == std::string(arguments[2]) + "\n") breach("boot id");
  const char* uuid = "/proc/sys/kernel/random/uuid";
  if (text_of(uuid).size() != 37 || text_of(uuid) == text_of(uuid)) breach("uuid");
  if (text_of("/proc/loadavg") != "0.00 0.00 0.00 1/1 1\n") breach("loadavg");
  if (!text_of("/proc/self/mountinfo").empty()) breach("mountinfo");
  if (text_of("/proc/mounts") != text_of("/etc/mtab") || !tells_no_sources("/proc/mounts"))
    breach("mounts");
  for (const char* name :
       {"cpuinfo", "meminfo", "stat", "uptime", "loadavg", "version", "filesystems", "mounts"})
    expect_unchangeable(std::string("/proc/") + name);
  walk("/proc/sys");
  walk("/sys");
  // Up from what is mounted there, into the file systems that it comes from.
  for (const char* path : {"/proc/sys/../interrupts", "/proc/cpuinfo/..", "/proc/sys/../.proc",
                           "/proc/sys/kernel/../../cpuinfo/../meminfo", "/.proc"})
    expect_refused(path, open(path, O_RDONLY));
  return verdict();
}

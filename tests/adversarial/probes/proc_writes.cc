// Opens every file below /proc for writing. What that leads to is on the list here, for each
// process of this sandbox and for no other; what of it would lead further is refused when it is
// written. A file that a kernel has more is one to decide about: here and in SECURITY.md.
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "probe.h"

namespace {

// By its name below the process, or below one of its threads. No kernel has all of them.
constexpr std::string_view kWritable[] = {
    "attr/apparmor/current",
    "attr/apparmor/exec",
    "attr/current",
    "attr/exec",
    "attr/fscreate",
    "attr/keycreate",
    "attr/smack/current",
    "attr/sockcreate",
    "autogroup",
    "clear_refs",
    "comm",
    "coredump_filter",
    "fail-nth",
    "gid_map",
    "loginuid",
    "make-it-fail",
    "mem",
    "oom_adj",
    "oom_score_adj",
    "projid_map",
    "sched",
    "timens_offsets",
    "timerslack_ns",
    "uid_map",
};

std::string first_part(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

// After so many parts.
std::string_view behind(std::string_view path, int parts) {
  for (; parts > 0 && path.find('/') != path.npos; --parts) path.remove_prefix(path.find('/') + 1);
  return path;
}

// The files in /proc of this process and of those that it started.
class OwnFiles {
 public:
  explicit OwnFiles(std::set<std::string> processes) : processes_(std::move(processes)) {}

  void walk(const std::string& folder) {
    DIR* const entries = opendir(folder.c_str());
    if (entries == nullptr) return;  // and so is nothing in it
    while (const dirent* entry = readdir(entries)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      const std::string path = folder + "/" + entry->d_name;
      if (entry->d_type == DT_DIR) walk(path);
      // A link leads out of /proc: to what its target is.
      if (entry->d_type != DT_DIR && entry->d_type != DT_LNK) try_to_write(path);
    }
    closedir(entries);
  }
  int looked_at() const { return looked_at_; }

 private:
  void try_to_write(const std::string& path) {
    ++looked_at_;
    for (const int flags : {O_WRONLY, O_RDWR, O_WRONLY | O_TRUNC}) {
      const int fd = open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK);
      if (fd >= 0 && !may_be_writable(path)) breach(path.c_str(), flags);
      if (fd >= 0) close(fd);
    }
  }

  bool may_be_writable(std::string_view path) const {
    const std::string_view below = behind(path, 2);  // "", "proc"
    if (!processes_.contains(first_part(below))) return false;
    std::string_view name = behind(below, 1);
    if (name.starts_with("task/")) name = behind(name, 2);
    return std::ranges::find(kWritable, name) != std::end(kWritable);
  }

  std::set<std::string> processes_;
  int looked_at_ = 0;
};

void expect_no_effect(const std::string& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  expect_refused(path.c_str(), write(fd, text.data(), text.size()));
  close(fd);
}

// Nothing that only a privileged process may, and no other identity.
void expect_no_more_rights(const std::string& process) {
  for (const char* map : {"uid_map", "gid_map", "projid_map"})
    expect_no_effect(process + map, "0 0 1");
  expect_no_effect(process + "timens_offsets", "monotonic 1 0");
  expect_no_effect(process + "oom_score_adj", "-1000");
  expect_no_effect(process + "oom_adj", "-17");
  expect_no_effect(process + "autogroup", "-5");
  expect_no_effect(process + "loginuid", "0");
}

// The kernel's own rule for these: each process its own alone.
void expect_own_alone(const std::string& other) {
  for (const char* name : {"comm", "loginuid", "attr/current", "attr/exec", "attr/fscreate"})
    expect_no_effect(other + name, "1");
}

void expect_init_out_of_reach() {
  for (const std::string_view name : kWritable) {
    for (const char* folder : {"/proc/1/", "/proc/1/task/1/"}) {
      const std::string path = folder + std::string(name);
      expect_refused(path.c_str(), open(path.c_str(), O_WRONLY));
    }
  }
}

}  // namespace

int main() {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  std::thread([] {
    for (;;) pause();
  }).detach();
  OwnFiles files({"self", "thread-self", std::to_string(getpid()), std::to_string(child)});
  for (const char* folder : {"/proc", "/proc/self", "/proc/thread-self", "/proc/1"})
    files.walk(folder);
  if (files.looked_at() < 100) breach("there is no /proc to speak of", files.looked_at());
  const std::string other = "/proc/" + std::to_string(child) + "/";
  for (const std::string& process : {std::string("/proc/self/"), other})
    expect_no_more_rights(process);
  expect_own_alone(other);
  expect_init_out_of_reach();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return verdict();
}

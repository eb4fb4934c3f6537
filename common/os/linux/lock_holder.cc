#include "common/os/lock_holder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::os {
namespace {

// Whether what the kernel names so is wanted. It says nothing of the file: names are first, as
// looking at a file may wait where its file system does not answer.
using Named = std::function<bool(const std::string& target)>;

struct Wanted {
  Named named;
  std::function<std::string(const std::string& target)> path;  // where the file itself is
};

std::string target_of(const std::string& link) {
  std::array<char, 4096> target = {};
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  return {target.data(), static_cast<size_t>(std::max<ssize_t>(length, 0))};
}

bool is_same_file(const std::string& link, const std::string& path) {
  struct stat opened = {};
  struct stat wanted = {};
  return ::stat(link.c_str(), &opened) == 0 && ::stat(path.c_str(), &wanted) == 0 &&
         opened.st_dev == wanted.st_dev && opened.st_ino == wanted.st_ino;
}

// The kernel tells which of a process's descriptors have locks.
bool holds(const std::string& process, const Wanted& wanted) {
  const Result<std::vector<std::string>> fds = list_dir(cat(process, "/fd"));
  if (!fds) return false;
  for (const std::string& fd : *fds) {
    const std::string link = cat(process, "/fd/", fd);
    const std::string target = target_of(link);
    if (!wanted.named(target) || !is_same_file(link, wanted.path(target))) continue;
    const Result<std::string> info = read_file(cat(process, "/fdinfo/", fd));
    if (info && info->find("\nlock:") != std::string::npos) return true;
  }
  return false;
}

Wanted this_file(const std::string& path) {
  return {[name = base_name(path)](const std::string& target) { return base_name(target) == name; },
          [path](const std::string&) { return path; }};
}

std::vector<pid_t> holders_of(const Wanted& wanted) {
  std::vector<pid_t> out;
  const Result<std::vector<std::string>> entries = list_dir("/proc");
  if (!entries) return out;
  for (const std::string& entry : *entries) {
    const auto pid = parse_integer<pid_t>(entry);
    if (pid && holds(cat("/proc/", entry), wanted)) out.push_back(*pid);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<pid_t> lock_holders(const std::string& path) { return holders_of(this_file(path)); }

bool holds_lock(pid_t pid, const std::string& path) {
  return pid > 0 && holds(cat("/proc/", pid), this_file(path));
}

std::vector<pid_t> lock_holders_below(const std::string& folder) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(folder.c_str(), nullptr),
                                                         &std::free);
  if (real == nullptr) return {};
  const std::string start = cat(real.get(), "/");
  return holders_of({[&](const std::string& target) { return target.starts_with(start); },
                     [](const std::string& target) { return target; }});
}

}  // namespace paddock::os

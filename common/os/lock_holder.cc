#include "common/os/lock_holder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::os {
namespace {

// By the name first: looking at a file may wait, where its file system does not answer.
bool is_file(const std::string& link, const std::string& name, const struct stat& wanted) {
  std::array<char, 4096> target = {};
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  if (length <= 0 || base_name(std::string(target.data(), static_cast<size_t>(length))) != name)
    return false;
  struct stat opened = {};
  return ::stat(link.c_str(), &opened) == 0 && opened.st_dev == wanted.st_dev &&
         opened.st_ino == wanted.st_ino;
}

// The kernel tells which of a process's descriptors have locks, but of these no process number.
bool holds(const std::string& process, const std::string& name, const struct stat& wanted) {
  const Result<std::vector<std::string>> fds = list_dir(cat(process, "/fd"));
  if (!fds) return false;
  for (const std::string& fd : *fds) {
    if (!is_file(cat(process, "/fd/", fd), name, wanted)) continue;
    const Result<std::string> info = read_file(cat(process, "/fdinfo/", fd));
    if (info && info->find("\nlock:") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string lock_holder(const std::string& path) {
  struct stat wanted = {};
  const Result<std::vector<std::string>> entries = list_dir("/proc");
  if (!entries || ::stat(path.c_str(), &wanted) != 0) return "";
  for (const std::string& entry : *entries) {
    const bool process = entry.find_first_not_of("0123456789") == std::string::npos;
    if (process && holds(cat("/proc/", entry), base_name(path), wanted))
      return cat(" (process ", entry, ")");
  }
  return "";
}

}  // namespace paddock::os

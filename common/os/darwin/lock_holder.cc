// Who has lock files open for writing, by libproc: macOS does not tell who locks.
#include "common/os/lock_holder.h"

#include <libproc.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/fcntl.h>

#include <algorithm>
#include <array>
#include <functional>

namespace paddock::os {
namespace {

using Wanted = std::function<bool(const std::string& path)>;

std::vector<pid_t> all_processes() {
  std::vector<pid_t> out(static_cast<size_t>(std::max(0, ::proc_listallpids(nullptr, 0))) + 64);
  const int count = ::proc_listallpids(out.data(), static_cast<int>(out.size() * sizeof(pid_t)));
  out.resize(static_cast<size_t>(std::clamp(count, 0, static_cast<int>(out.size()))));
  return out;
}

std::vector<proc_fdinfo> descriptors_of(pid_t pid) {
  const int size = ::proc_pidinfo(pid, PROC_PIDLISTFDS, 0, nullptr, 0);
  std::vector<proc_fdinfo> out(static_cast<size_t>(std::max(0, size)) / sizeof(proc_fdinfo) + 16);
  const int got = ::proc_pidinfo(pid, PROC_PIDLISTFDS, 0, out.data(),
                                 static_cast<int>(out.size() * sizeof(proc_fdinfo)));
  out.resize(static_cast<size_t>(std::max(0, got)) / sizeof(proc_fdinfo));
  return out;
}

bool writes_to(pid_t pid, const Wanted& wanted) {
  return std::ranges::any_of(descriptors_of(pid), [&](const proc_fdinfo& each) {
    vnode_fdinfowithpath info = {};
    return each.proc_fdtype == PROX_FDTYPE_VNODE &&
           ::proc_pidfdinfo(pid, each.proc_fd, PROC_PIDFDVNODEPATHINFO, &info, sizeof info) > 0 &&
           (info.pfi.fi_openflags & FWRITE) != 0 && wanted(info.pvip.vip_path);
  });
}

std::vector<pid_t> holders_of(const Wanted& wanted) {
  std::vector<pid_t> out = all_processes();
  std::erase_if(out, [&](pid_t pid) { return pid <= 0 || !writes_to(pid, wanted); });
  std::ranges::sort(out);
  return out;
}

std::string real_path(const std::string& path) {
  std::array<char, PATH_MAX> real{};
  return ::realpath(path.c_str(), real.data()) == nullptr ? "" : real.data();
}

}  // namespace

std::vector<pid_t> lock_holders(const std::string& path) {
  const std::string real = real_path(path);
  if (real.empty()) return {};
  return holders_of([&](const std::string& open) { return open == real; });
}

bool holds_lock(pid_t pid, const std::string& path) {
  const std::string real = real_path(path);
  return pid > 0 && !real.empty() &&
         writes_to(pid, [&](const std::string& open) { return open == real; });
}

std::vector<pid_t> lock_holders_below(const std::string& folder) {
  const std::string real = real_path(folder);
  if (real.empty()) return {};
  return holders_of([&](const std::string& open) { return open.starts_with(real + "/"); });
}

}  // namespace paddock::os

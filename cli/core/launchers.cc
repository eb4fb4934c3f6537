#include "cli/core/launchers.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <sstream>

#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr std::ptrdiff_t kDeepest = 6;  // <data>/runs/<run>/build/…/lock

// Folders full of files that are not the agent's own.
bool may_hold_locks(const std::string& path) {
  const std::string name = os::base_name(path);
  const bool foreign = name == "workspace" || name == "blobs" || name == "venvs" ||
                       name == "venv" || name == "scratch";
  return !foreign && std::ranges::count(path, '/') + 1 < kDeepest;
}

template <class T>
std::optional<T> parse_base(std::string_view text, int base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// `1: FLOCK  ADVISORY  WRITE 4242 fe:01:131090 0 EOF`
std::optional<HeldLock> parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string number, type, mode, access, pid, file;
  words >> number >> type >> mode >> access >> pid >> file;
  const std::vector<std::string> parts = split(file, ':');
  if (type != "FLOCK" || parts.size() != 3)
    return std::nullopt;  // blocked waiters have `->` as type
  const auto id = parse_integer<int64_t>(pid);
  const auto major = parse_base<unsigned>(parts[0], 16);
  const auto minor = parse_base<unsigned>(parts[1], 16);
  const auto inode = parse_integer<uint64_t>(parts[2]);
  if (!id || *id <= 0 || !major || !minor || !inode) return std::nullopt;
  return HeldLock{*id, makedev(*major, *minor), *inode};
}

}  // namespace

std::vector<HeldLock> parse_proc_locks(std::string_view text) {
  std::vector<HeldLock> out;
  for (const std::string& line : split(text, '\n')) {
    if (const auto lock = parse_line(line)) out.push_back(*lock);
  }
  return out;
}

std::vector<os::ProcessIdentity> lock_holders(const std::string& folder) {
  const Result<std::string> text = os::read_file("/proc/locks");
  const Result<os::Fd> root = os::open_root(folder);
  if (!text.ok() || !root.ok()) return {};
  const std::vector<HeldLock> locks = parse_proc_locks(*text);
  std::vector<os::ProcessIdentity> out;
  const Status walked = os::walk(root->get(), [&](const os::WalkEntry& entry) {
    for (const HeldLock& lock : locks) {
      if (lock.inode != entry.stat.st_ino || lock.device != entry.stat.st_dev) continue;
      if (auto process = os::identify(static_cast<pid_t>(lock.pid)))
        out.push_back(std::move(*process));
    }
    return may_hold_locks(entry.path);
  });
  return walked.ok() ? out : std::vector<os::ProcessIdentity>();
}

Status stop_launchers(const Env& env, const InstancePaths& paths, Millis grace) {
  const std::vector<os::ProcessIdentity> launchers = lock_holders(paths.agent_data());
  for (const os::ProcessIdentity& each : launchers) (void)os::signal_process(each, SIGTERM);
  for (const os::ProcessIdentity& each : launchers) {
    ASSIGN_OR_RETURN(const bool killed, stop_process(each, grace));
    env.say(cat("stopped a sandbox that was left over", killed ? " (it had to be killed)" : ""));
  }
  return {};
}

}  // namespace paddock::cli

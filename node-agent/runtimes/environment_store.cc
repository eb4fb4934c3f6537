#include "node-agent/runtimes/environment_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/os/file_times.h"
#include "common/os/sync.h"

namespace paddock::runtimes {
namespace {

constexpr const char* kMarker = ".paddock-environment";
constexpr std::string_view kBuilding = ".building-";
constexpr std::string_view kLockEnding = ".lock";
constexpr size_t kKeyHex = 12;
constexpr size_t kMarkerBytes = 256;
constexpr std::array kRuntimes = {Runtime::kPython, Runtime::kNode};

std::string_view folder_of(Runtime runtime) {
  return runtime == Runtime::kPython ? "venvs" : "node_modules_cache";
}

// The file that must be there beside the seal. bin/activate alone proves nothing: venv writes it
// before pip runs.
std::string_view core_of(Runtime runtime) {
  return runtime == Runtime::kPython ? "bin/activate" : "node_modules";
}

std::string lease_name(Runtime runtime, std::string_view key) {
  return cat(folder_of(runtime), "/", key);
}

void mark_used(const os::LockFile& lock, WallTime now) {
  const timespec time{static_cast<time_t>(now.ms / 1000),
                      static_cast<long>(now.ms % 1000) * 1'000'000};
  const std::array<timespec, 2> times = {time, time};
  (void)::futimens(lock.fd(), times.data());  // at worst it is built once more
}

WallTime time_of(const struct stat& stat) {
  const timespec used = os::modified_at(stat);
  return {int64_t{used.tv_sec} * 1000 + used.tv_nsec / 1'000'000};
}

std::optional<WallTime> last_use(int fd) {
  struct stat stat = {};
  if (::fstat(fd, &stat) != 0) return std::nullopt;
  return time_of(stat);
}

// The bytes that an ordinary user may still write to this file system; none if that is not known.
int64_t free_on(const std::string& dir) {
  struct statvfs stat = {};
  if (::statvfs(dir.c_str(), &stat) != 0) return 0;
  return static_cast<int64_t>(stat.f_bavail * stat.f_frsize);
}

// A name in a folder of environments without what we add to it; empty for what is no environment's.
std::string key_of(const std::string& name) {
  if (name.starts_with('.')) return {};
  return name.ends_with(kLockEnding) ? name.substr(0, name.size() - kLockEnding.size()) : name;
}

Status remove_environment(const EnvironmentPlace& place) {
  TRY(os::remove_tree(place.building));
  // Out of sight at once: a removal that is cut short leaves no half environment.
  if (::rename(place.path.c_str(), place.building.c_str()) != 0 && errno != ENOENT) {
    return system_error("removing an environment", errno);
  }
  TRY(os::remove_tree(place.building));
  (void)::unlink(place.lock.c_str());
  return {};
}

// Every environment, and every lock that is left of one.
std::vector<EnvironmentPlace> all_places(const std::string& dir) {
  std::vector<EnvironmentPlace> out;
  for (const Runtime runtime : kRuntimes) {
    const auto names = os::list_dir(os::join_path(dir, folder_of(runtime)));
    if (!names) continue;  // nothing of this kind was built yet
    std::set<std::string> keys;
    for (const std::string& name : *names) keys.insert(key_of(name));
    keys.erase("");
    for (const std::string& key : keys) out.emplace_back(dir, runtime, key);
  }
  return out;
}

// Whether it was there and is gone.
Result<bool> prune_one(const EnvironmentPlace& place, WallTime now, Millis unused_for) {
  struct stat stat = {};
  if (::lstat(place.lock.c_str(), &stat) == 0 && now - time_of(stat) < unused_for) {
    return false;  // without taking a lock that a run may want
  }
  const auto lock = os::LockFile::acquire(place.lock);
  if (!lock) {
    if (lock.error().reason == "LOCK_HELD") return false;
    return Error(lock.error());
  }
  const auto used = last_use(lock->fd());
  if (!used || now - *used < unused_for) return false;
  const bool there = os::exists(place.path);
  TRY(remove_environment(place));
  return there;
}

}  // namespace

std::string environment_key(std::string_view workspace_id, std::string_view requirements) {
  return cat(crypto::sha256_hex(workspace_id).substr(0, kKeyHex), "-",
             crypto::sha256_hex(requirements).substr(0, kKeyHex));
}

std::string key_beside(const EnvironmentId& id) {
  return cat(id.key, "-", id.seal.substr(0, kKeyHex));
}

EnvironmentPlace::EnvironmentPlace(std::string_view dir, Runtime runtime, std::string_view key)
    : folder(os::join_path(dir, folder_of(runtime))),
      path(os::join_path(folder, key)),
      lock(os::join_path(folder, cat(key, kLockEnding))),
      building(os::join_path(folder, cat(kBuilding, key))) {}

std::string EnvironmentPlace::built() const { return os::join_path(building, "built"); }
std::string EnvironmentPlace::input() const { return os::join_path(building, "input"); }

bool is_complete(const EnvironmentPlace& place, const EnvironmentId& id) {
  const auto seal = os::read_file(os::join_path(place.path, kMarker), kMarkerBytes);
  return seal.ok() && trim(*seal) == id.seal &&
         os::exists(os::join_path(place.path, core_of(id.runtime)));
}

bool is_another(const EnvironmentPlace& place, const EnvironmentId& id) {
  const auto seal = os::read_file(os::join_path(place.path, kMarker), kMarkerBytes);
  return seal.ok() && trim(*seal) != id.seal;
}

EnvironmentLease::EnvironmentLease(os::LockFile lock, std::string name,
                                   std::function<WallTime()> now)
    : lock_(std::move(lock)), name_(std::move(name)), now_(std::move(now)) {
  mark_used(*lock_, now_());
}

EnvironmentLease::~EnvironmentLease() {
  if (lock_ && lock_->fd() >= 0) mark_used(*lock_, now_());
}

Result<std::optional<EnvironmentLease>> lease_environment(const std::string& dir,
                                                          const EnvironmentId& id,
                                                          std::function<WallTime()> now) {
  const EnvironmentPlace place(dir, id.runtime, id.key);
  TRY(os::make_dirs(place.folder));
  ASSIGN_OR_RETURN(os::LockFile lock, os::LockFile::share(place.lock));
  if (!is_complete(place, id)) return std::optional<EnvironmentLease>();
  return std::optional<EnvironmentLease>(
      EnvironmentLease(std::move(lock), lease_name(id.runtime, id.key), std::move(now)));
}

Result<EnvironmentLease> lease_again(const std::string& dir, const std::string& name,
                                     std::function<WallTime()> now) {
  for (const Runtime runtime : kRuntimes) {
    const std::string key = os::base_name(name);
    if (lease_name(runtime, key) != name) continue;
    ASSIGN_OR_RETURN(os::LockFile lock,
                     os::LockFile::share(EnvironmentPlace(dir, runtime, key).lock));
    return EnvironmentLease(std::move(lock), name, std::move(now));
  }
  return Error{Code::kInternal, "RECORD_INVALID", "a run's record names no environment"};
}

Status publish_environment(const std::string& dir, const EnvironmentId& id) {
  const EnvironmentPlace place(dir, id.runtime, id.key);
  const std::string seal = os::join_path(place.built(), kMarker);
  TRY(os::remove_tree(seal));  // a package may have brought one
  TRY(os::write_file_atomic(seal, cat(id.seal, "\n"), 0644));
  // On disk first: a power cut must not leave a complete-looking shell.
  const os::Fd folder(::open(place.built().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || os::sync_file_system(folder.get()) != 0) {
    return system_error("writing the environment to disk", errno);
  }
  TRY(os::remove_tree(place.path));
  if (::rename(place.built().c_str(), place.path.c_str()) != 0) {
    return system_error("publishing the environment", errno);
  }
  return {};
}

Result<EnvironmentLease> keep_lease(const EnvironmentId& id, os::LockFile lock,
                                    std::function<WallTime()> now) {
  TRY(lock.make_shared());
  return EnvironmentLease(std::move(lock), lease_name(id.runtime, id.key), std::move(now));
}

void sweep_environments(const std::string& dir) {
  for (const Runtime runtime : kRuntimes) {
    const std::string folder = os::join_path(dir, folder_of(runtime));
    const auto names = os::list_dir(folder);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (name.starts_with(kBuilding)) (void)os::remove_tree(os::join_path(folder, name));
    }
  }
}

Result<int64_t> prune_environments(const std::string& dir, WallTime now, Millis unused_for) {
  int64_t removed = 0;
  for (const EnvironmentPlace& place : all_places(dir)) {
    ASSIGN_OR_RETURN(const bool gone, prune_one(place, now, unused_for));
    if (gone) ++removed;
  }
  return removed;
}

Result<bool> make_room(const std::string& dir, int64_t free_bytes) {
  std::multimap<WallTime, EnvironmentPlace> by_use;
  for (EnvironmentPlace& place : all_places(dir)) {
    struct stat stat = {};
    const bool timed = ::lstat(place.lock.c_str(), &stat) == 0;
    by_use.emplace(timed ? time_of(stat) : WallTime{}, std::move(place));
  }
  for (const auto& [used, place] : by_use) {
    if (free_on(dir) >= free_bytes) return true;
    TRY(prune_one(place, used, Millis{0}));
  }
  return free_on(dir) >= free_bytes;
}

}  // namespace paddock::runtimes

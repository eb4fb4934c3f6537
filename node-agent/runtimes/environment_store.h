// Environments on disk, and who may do what with one at a time: users share it, whoever builds or
// removes it is alone.
//
//   <dir>/venvs/<key>/                  a Python environment, and in it
//       .paddock-environment            written last: its seal. What bears another one is no hit
//   <dir>/node_modules_cache/<key>/     npm packages, likewise
//   <dir>/*/<key>.lock                  shared by users, held by a builder; its time: the last use
//   <dir>/*/.building-<key>/            under the lock; removed on failure
//
// Thread-safe and safe between processes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"
#include "common/os/lock_file.h"

namespace paddock::runtimes {

enum class Runtime { kPython, kNode };

// Names one environment.
struct EnvironmentId {
  Runtime runtime = Runtime::kPython;
  std::string key;   // `<12 hex>-<12 hex>`: of the workspace's identity and the requirements' bytes
  std::string seal;  // 64 hex of everything that it was built from
};
std::string environment_key(std::string_view workspace_id, std::string_view requirements);
// The key that an environment has where another one, built from something else under the plain key,
// is in use: with 12 hex of its own seal behind.
std::string key_beside(const EnvironmentId& id);

struct EnvironmentPlace {
  EnvironmentPlace(std::string_view dir, Runtime runtime, std::string_view key);
  std::string folder;    // of its kind
  std::string path;      // the environment
  std::string lock;      //
  std::string building;  // holds built/ and input/ while it is built
  std::string built() const;
  std::string input() const;
};

// While one lives the environment is neither removed nor built anew. Marks the time of use when it
// is taken and when it ends. Movable; `now` must outlive it.
class EnvironmentLease {
 public:
  EnvironmentLease(os::LockFile lock, std::string name, std::function<WallTime()> now);
  EnvironmentLease(EnvironmentLease&&) = default;
  EnvironmentLease& operator=(EnvironmentLease&&) = delete;
  ~EnvironmentLease();
  // "venvs/<key>": for lease_again().
  const std::string& name() const { return name_; }

 private:
  std::optional<os::LockFile> lock_;
  std::string name_;
  std::function<WallTime()> now_;
};

bool is_complete(const EnvironmentPlace& place, const EnvironmentId& id);
// Whether one is there that bears another seal.
bool is_another(const EnvironmentPlace& place, const EnvironmentId& id);

// Takes a lease on the environment; nothing if there is no complete one with this seal. LOCK_HELD
// while it is being built.
Result<std::optional<EnvironmentLease>> lease_environment(const std::string& dir,
                                                          const EnvironmentId& id,
                                                          std::function<WallTime()> now);
// For a run that an earlier agent process gave this environment, whatever has become of it since.
Result<EnvironmentLease> lease_again(const std::string& dir, const std::string& name,
                                     std::function<WallTime()> now);

// Makes the built folder the environment: first all of it is on the disk, then it becomes visible.
// For the holder of its lock.
Status publish_environment(const std::string& dir, const EnvironmentId& id);
// The builder's lock becomes its lease; nobody can come in between.
Result<EnvironmentLease> keep_lease(const EnvironmentId& id, os::LockFile lock,
                                    std::function<WallTime()> now);

// Removes what a killed builder left. Call while no build is under way.
void sweep_environments(const std::string& dir);

inline constexpr Millis kUnusedEnvironmentKept = std::chrono::hours(24 * 14);
// Removes what was not used for so long and is not in use now. Returns how many environments.
Result<int64_t> prune_environments(const std::string& dir, WallTime now, Millis unused_for);

// Removes what nobody uses now, the longest unused first, until the disk has so much free. False if
// it has less even so.
Result<bool> make_room(const std::string& dir, int64_t free_bytes);

}  // namespace paddock::runtimes

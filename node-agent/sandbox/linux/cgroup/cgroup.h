// The cgroup of one run: made before the command, joined before its first instruction, removed
// after. v1 has one folder per hierarchy, v2 one for all. Owned by the launcher. What reads, kills,
// freezes and thaws may be called by several threads at once, all else by one alone.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/os/fd.h"
#include "node-agent/sandbox/plan/plan.h"
#include "node-agent/sandbox/result/outcome.h"

namespace paddock::sandbox {

class Cgroup {
 public:
  virtual ~Cgroup() = default;
  // v2: clone3 starts the child inside.
  virtual int clone_fd() const { return -1; }
  // v1: the child itself writes "0" here. (Writing a pid to cgroup.procs costs an RCU grace
  // period.)
  virtual const std::vector<os::Fd>& join_fds() const = 0;
  // At any time before the command: those who wait inside already are held to it too.
  virtual Status limit(const CgroupSettings& settings) = 0;
  // Whether limit() may be given `cpus`; then, why the kernel did not take them.
  virtual bool bounds_cpus() const = 0;
  virtual const Status& bound_cpus() const = 0;
  virtual Readings read() const = 0;
  // Processes and threads, the init process too; nothing where the kernel does not count them.
  virtual std::optional<int64_t> tasks() const = 0;
  // SIGKILL to everything inside, without a wait for its end: whoever comes to be meanwhile is met
  // by the next call.
  virtual void kill_all() = 0;
  virtual void remove() = 0;

  // Everything inside stands still, soon after, until thaw(): at any time, from any thread. Nothing
  // is frozen where it cannot be. What is killed meanwhile ends.
  virtual void freeze() {}
  virtual void thaw() {}
  // A file that tells by cgroup_files::says_frozen() when it does; empty where it cannot.
  virtual std::string frozen_file() const { return {}; }
};

// Without limits as yet, in every hierarchy that the host has; it has none: an object that does
// nothing. One per process of ours at a time. `bounded`: its processors will be; a hierarchy for
// that alone, which v1 may have, is left out otherwise.
// `measured`: what it holds may be looked at while it stands still; so is v1's freezer.
Result<std::unique_ptr<Cgroup>> make_cgroup(const CgroupFacts& facts, bool bounded, bool measured);

// v1 and v2 behind it. `name` is the same in every hierarchy.
Result<std::unique_ptr<Cgroup>> make_cgroup_v1(const CgroupFacts& facts, const std::string& name);
Result<std::unique_ptr<Cgroup>> make_cgroup_v2(const CgroupFacts& facts, const std::string& name);

// Folders of launchers that were killed: emptied and removed. Known by pid, start time and pid
// namespace, which their names carry.
void sweep_stale_cgroups(const CgroupFacts& facts);

// Files of one folder, opened before they are needed: opening is what costs.
class CgroupFiles {
 public:
  CgroupFiles() = default;
  // Those that the kernel does not have stay away. `flags`: O_RDONLY or O_WRONLY.
  CgroupFiles(const std::string& folder, int flags, std::initializer_list<const char*> files);
  bool has(std::string_view file) const { return find(file) >= 0; }
  Status write(std::string_view file, int64_t value) const;
  std::optional<int64_t> number(std::string_view file) const;
  // The value after `key ` at the start of a line.
  std::optional<int64_t> keyed(std::string_view file, std::string_view key) const;

 private:
  int find(std::string_view file) const;
  std::optional<std::string> text(std::string_view file) const;
  std::vector<std::pair<std::string, os::Fd>> files_;
};

namespace cgroup_files {
std::optional<std::string> read_text(const std::string& folder, const char* file);
Status write_setting(const std::string& folder, const char* file, std::string_view text);
// The value after `key ` at the start of a line.
std::optional<int64_t> value_of(std::string_view text, std::string_view key);
std::optional<int64_t> read_keyed(const std::string& folder, const char* file,
                                  std::string_view key);
// SIGKILL to everything inside, until nothing is: at once with cgroup.kill (v2, Linux 5.14), else
// process by process. What was killed so is not used again: the kernel may kill who enters late.
void kill_inside(const std::string& folder);
// The same, once.
void kill_once(const std::string& folder);
bool says_frozen(std::string_view text);
void remove_folder(const std::string& folder);
}  // namespace cgroup_files

}  // namespace paddock::sandbox

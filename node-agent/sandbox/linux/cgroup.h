// The cgroup of one run: made before the command, joined before its first instruction, removed
// after. v1 has one folder per hierarchy, v2 one for all. Owned by the launcher; not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/os/fd.h"
#include "node-agent/sandbox/outcome.h"
#include "node-agent/sandbox/plan.h"

namespace paddock::sandbox {

class Cgroup {
 public:
  virtual ~Cgroup() = default;
  // v2: clone3 starts the child inside.
  virtual int clone_fd() const { return -1; }
  // v1: the child itself writes "0" here. (Writing a pid to cgroup.procs costs an RCU grace
  // period.)
  virtual const std::vector<os::Fd>& join_fds() const = 0;
  virtual Readings read() const = 0;
  // SIGKILL to everything inside, until nothing is.
  virtual void kill_all() = 0;
  virtual void remove() = 0;
};

// Makes what the plan asks for; nothing asked for: an object that does nothing.
Result<std::unique_ptr<Cgroup>> make_cgroup(const CgroupSettings& settings,
                                            const CgroupFacts& facts);

// Before there is a request: the folders that this process's make_cgroup() will want, without
// limits. v1 only: one of v2 is never used again once it was killed. The other takes back what was
// not used.
void prepare_cgroup(const CgroupFacts& facts);
void discard_prepared_cgroup(const CgroupFacts& facts);

// v1 and v2 behind it. `name` is the same in every hierarchy.
Result<std::unique_ptr<Cgroup>> make_cgroup_v1(const CgroupSettings& settings,
                                               const CgroupFacts& facts, const std::string& name);
Result<std::unique_ptr<Cgroup>> make_cgroup_v2(const CgroupSettings& settings,
                                               const CgroupFacts& facts, const std::string& name);

// Folders of launchers that were killed: emptied and removed. Known by pid, start time and pid
// namespace, which their names carry.
void sweep_stale_cgroups(const CgroupFacts& facts);

namespace cgroup_files {
std::optional<std::string> read_text(const std::string& folder, const char* file);
Status write(const std::string& folder, const char* file, std::string_view text);
std::optional<int64_t> read_number(const std::string& folder, const char* file);
// The value after `key ` at the start of a line.
std::optional<int64_t> read_keyed(const std::string& folder, const char* file,
                                  std::string_view key);
// SIGKILL to everything inside, until nothing is: at once with cgroup.kill (v2, Linux 5.14), else
// process by process. What was killed so is not used again: the kernel may kill who enters late.
void kill_inside(const std::string& folder);
void remove_folder(const std::string& folder);
}  // namespace cgroup_files

}  // namespace paddock::sandbox

// The cgroup of one run. The launcher makes it before the command, the child joins it before the
// command's first instruction, and the launcher removes it afterwards. Version 1 has one folder per
// hierarchy, version 2 has one for all. Several threads may read, kill, freeze and thaw at once;
// all other calls come from one thread.
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
  // On v2, clone3 starts the child inside this folder. -1 on v1.
  virtual int clone_fd() const { return -1; }
  // On v1, the child itself writes "0" to these files. (Writing a pid to cgroup.procs instead would
  // cost an RCU grace period.)
  virtual const std::vector<os::Fd>& join_fds() const = 0;
  // May be called until the command starts. The limits bind processes that are inside already, too.
  virtual Status limit(const CgroupSettings& settings) = 0;
  // Whether this cgroup can limit processors, so that limit() may be given `cpus`.
  virtual bool bounds_cpus() const = 0;
  // After limit(): an error says why the kernel refused `cpus`.
  virtual const Status& bound_cpus() const = 0;
  virtual Readings read() const = 0;
  // The number of threads of all processes, init included. Nothing where the kernel has no count.
  virtual std::optional<int64_t> tasks() const = 0;
  // Sends SIGKILL to every process inside and does not wait for their end. A process that was
  // forked meanwhile may be missed; the next call finds it.
  virtual void kill_all() = 0;
  virtual void remove() = 0;

  // Everything inside comes to a stop soon after, until thaw(). A kill works on frozen processes
  // too. Where the host cannot freeze a cgroup, this does nothing.
  virtual void freeze() {}
  virtual void thaw() {}
  // The file whose text cgroup_files::says_frozen() reads; empty where a cgroup cannot be frozen.
  virtual std::string frozen_file() const { return {}; }
};

// Makes a cgroup without limits in every hierarchy that the host has. On a host without cgroups the
// object does nothing. A launcher process has one at a time. Where v1 has a hierarchy for
// processors alone, it is used only if `bounded`: the run's processors will be limited. One for
// freezing is used only if `measured`: the run will stand still while its workspace is measured.
Result<std::unique_ptr<Cgroup>> make_cgroup(const CgroupFacts& facts, bool bounded, bool measured);

// The two versions behind make_cgroup(). The folder has the same name in every hierarchy.
Result<std::unique_ptr<Cgroup>> make_cgroup_v1(const CgroupFacts& facts, const std::string& name);
Result<std::unique_ptr<Cgroup>> make_cgroup_v2(const CgroupFacts& facts, const std::string& name);

// Kills what is in the folders of launchers that were killed, and removes them. A folder's name
// carries its launcher's pid, start time and pid namespace, which tell whether that launcher is
// still alive.
void sweep_stale_cgroups(const CgroupFacts& facts);

// Files of one folder, opened before they are needed, because opening them is what takes time.
class CgroupFiles {
 public:
  CgroupFiles() = default;
  // Leaves out files that this kernel does not have. `flags`: O_RDONLY or O_WRONLY.
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
// Sends SIGKILL until no process is left: all at once by cgroup.kill (v2, Linux 5.14), else one
// after the other. Do not use the cgroup again: the kernel may kill a process that enters late.
void kill_inside(const std::string& folder);
// Does the same once, and does not wait.
void kill_once(const std::string& folder);
bool says_frozen(std::string_view text);
void remove_folder(const std::string& folder);
}  // namespace cgroup_files

}  // namespace paddock::sandbox

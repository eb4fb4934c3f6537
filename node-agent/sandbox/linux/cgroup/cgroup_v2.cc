// cgroup v2: one folder, entered by clone3, emptied by cgroup.kill, then removed: never used again.
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

using namespace cgroup_files;

class CgroupV2 final : public Cgroup {
 public:
  ~CgroupV2() override { remove(); }

  Status set_up(const std::string& path) {
    // A cgroup that exists already may have been killed, or be somebody else's.
    if (mkdir(path.c_str(), 0755) != 0) return step_error("making the cgroup", errno);
    folder_ = path;
    fd_.reset(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd_.valid()) return step_error("opening the cgroup", errno);
    limits_ = {
        folder_, O_WRONLY, {"memory.max", "memory.oom.group", "memory.swap.max", "pids.max"}};
    counters_ = {
        folder_,
        O_RDONLY,
        {"cpu.stat", "memory.peak", "memory.events", "pids.peak", "pids.events", "pids.current"}};
    return {};
  }

  Status limit(const CgroupSettings& settings) override {
    if (settings.memory_bytes) TRY(limit_memory(*settings.memory_bytes));
    if (settings.cpus) shared_ = bound(*settings.cpus);
    if (!settings.pids) return {};
    return limits_.write("pids.max", *settings.pids + 1);  // and the init process
  }

  int clone_fd() const override { return fd_.get(); }
  const std::vector<os::Fd>& join_fds() const override { return none_; }

  Readings read() const override {
    Readings out;
    if (const auto us = counters_.keyed("cpu.stat", "usage_usec")) out.cpu = Millis(*us / 1000);
    out.peak_memory_bytes = counters_.number("memory.peak");
    // oom_kill also counts who died because memory ran out further up; oom is this limit's own.
    if (counters_.keyed("memory.events", "oom").value_or(0) > 0)
      out.oom_kills = counters_.keyed("memory.events", "oom_kill").value_or(0);
    out.memory_limit_hits = counters_.keyed("memory.events", "max");
    if (const auto peak = counters_.number("pids.peak")) out.peak_pids = *peak - 1;
    out.pids_refused = counters_.keyed("pids.events", "max").value_or(0);
    return out;
  }

  std::optional<int64_t> tasks() const override { return counters_.number("pids.current"); }

  bool bounds_cpus() const override { return true; }
  const Status& bound_cpus() const override { return shared_; }
  void kill_all() override {
    if (!folder_.empty()) kill_once(folder_);
  }
  void freeze() override { (void)write_setting(folder_, "cgroup.freeze", "1"); }
  void thaw() override { (void)write_setting(folder_, "cgroup.freeze", "0"); }
  std::string frozen_file() const override { return cat(folder_, "/cgroup.events"); }
  void remove() override {
    fd_.reset();
    if (!folder_.empty()) remove_folder(folder_);
    folder_.clear();
  }

 private:
  Status limit_memory(int64_t bytes) {
    TRY(limits_.write("memory.max", bytes));
    TRY(limits_.write("memory.oom.group", 1));
    if (!limits_.has("memory.swap.max")) return {};
    return limits_.write("memory.swap.max", 0);
  }

  // Opened when it is needed: few runs ask.
  Status bound(int64_t cpus) const {
    constexpr int64_t kPeriodUs = 100'000;
    return write_setting(folder_, "cpu.max", cat(cpus * kPeriodUs, " ", kPeriodUs));
  }

  std::string folder_;
  os::Fd fd_;
  CgroupFiles limits_;
  CgroupFiles counters_;
  Status shared_;
  std::vector<os::Fd> none_;
};

}  // namespace

Result<std::unique_ptr<Cgroup>> make_cgroup_v2(const CgroupFacts& facts, const std::string& name) {
  auto cgroup = std::make_unique<CgroupV2>();
  TRY(cgroup->set_up(cat(facts.memory.empty() ? facts.cpu : facts.memory, "/", name)));
  return std::unique_ptr<Cgroup>(std::move(cgroup));
}

}  // namespace paddock::sandbox

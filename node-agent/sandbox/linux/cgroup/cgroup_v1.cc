// cgroup v1: one folder in each hierarchy that the host has.
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

using namespace cgroup_files;

constexpr const char* kSocketBytes = "memory.kmem.tcp.limit_in_bytes";
constexpr const char* kFreezerState = "freezer.state";
constexpr int64_t kMostSocketBytes = int64_t{256} << 20;

class CgroupV1 final : public Cgroup {
 public:
  ~CgroupV1() override { remove(); }

  Status set_up(const CgroupFacts& facts, const std::string& name) {
    TRY(make(facts.freezer, name, freezer_));  // first: what stands still does not end
    TRY(make(facts.memory, name, memory_));
    TRY(make(facts.pids, name, pids_));
    TRY(make(facts.cpu, name, cpu_));
    TRY(make(facts.bandwidth, name, bandwidth_));
    memory_limits_ = {
        memory_, O_WRONLY, {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", kSocketBytes}};
    memory_counters_ = {
        memory_, O_RDONLY, {"memory.max_usage_in_bytes", "memory.oom_control", "memory.failcnt"}};
    pids_limits_ = {pids_, O_WRONLY, {"pids.max"}};
    pids_counters_ = {pids_, O_RDONLY, {"pids.peak", "pids.events", "pids.current"}};
    cpu_counters_ = {cpu_, O_RDONLY, {"cpuacct.usage"}};
    return {};
  }

  Status limit(const CgroupSettings& settings) override {
    if (settings.memory_bytes) TRY(limit_memory(*settings.memory_bytes));
    if (settings.cpus) shared_ = bound(*settings.cpus);
    if (!settings.pids) return {};
    return pids_limits_.write("pids.max", *settings.pids + 1);  // and the init process
  }

  const std::vector<os::Fd>& join_fds() const override { return tasks_; }

  Readings read() const override {
    Readings out;
    if (const auto ns = cpu_counters_.number("cpuacct.usage")) out.cpu = Millis(*ns / 1'000'000);
    out.peak_memory_bytes = memory_counters_.number("memory.max_usage_in_bytes");
    if (memory_limit_ > 0) {
      out.oom_kills = memory_counters_.keyed("memory.oom_control", "oom_kill").value_or(0);
      out.memory_limit_hits = memory_limit_hits(out.peak_memory_bytes);
    }
    if (const auto peak = pids_counters_.number("pids.peak")) out.peak_pids = *peak - 1;
    out.pids_refused = pids_counters_.keyed("pids.events", "max").value_or(0);
    return out;
  }

  std::optional<int64_t> tasks() const override { return pids_counters_.number("pids.current"); }

  bool bounds_cpus() const override { return !bandwidth_.empty(); }
  // A cgroup above with less to give makes the kernel refuse.
  const Status& bound_cpus() const override { return shared_; }

  // Every process is in all of them: one list is enough.
  void kill_all() override {
    if (!made_.empty()) kill_once(made_.front());
    thaw();
  }

  void freeze() override {
    if (!freezer_.empty()) (void)write_setting(freezer_, kFreezerState, "FROZEN");
  }
  void thaw() override {
    if (!freezer_.empty()) (void)write_setting(freezer_, kFreezerState, "THAWED");
  }
  std::string frozen_file() const override {
    return freezer_.empty() ? std::string() : cat(freezer_, "/", kFreezerState);
  }
  void remove() override {
    tasks_.clear();
    for (const std::string& folder : made_) remove_folder(folder);
    made_.clear();
  }

 private:
  Status make(const std::string& parent, const std::string& name, std::string& folder) {
    if (parent.empty()) return {};
    const std::string path = cat(parent, "/", name);
    folder = path;
    if (std::ranges::find(made_, path) != made_.end()) return {};  // hierarchies may share one
    if (mkdir(path.c_str(), 0755) != 0) return step_error("making the cgroup", errno);
    made_.push_back(path);
    tasks_.emplace_back(open(cat(path, "/tasks").c_str(), O_WRONLY | O_CLOEXEC));
    if (!tasks_.back().valid()) return step_error("opening the cgroup's tasks", errno);
    return {};
  }

  // The kernel does not count the failures of the limit on memory and swap together (seen on 6.18);
  // there, use within one huge page of the limit is what tells it from the host's own shortage.
  std::optional<int64_t> memory_limit_hits(const std::optional<int64_t>& peak) const {
    constexpr int64_t kHugePage = 2 << 20;
    const auto counted = memory_counters_.number("memory.failcnt");
    if (!counted || !peak || *counted > 0) return counted;
    return *peak + kHugePage >= memory_limit_ ? 1 : 0;
  }

  Status limit_memory(int64_t bytes) {
    memory_limit_ = bytes;
    TRY(memory_limits_.write("memory.limit_in_bytes", bytes));
    // Buffers of TCP and UDP are counted apart, and not at all without a limit of their own. The
    // host has some for all (net.ipv4.tcp_mem).
    if (memory_limits_.has(kSocketBytes))
      TRY(memory_limits_.write(kSocketBytes, std::min(bytes / 4, kMostSocketBytes)));
    // Memory and swap together; the file is absent where swap is not accounted.
    if (!memory_limits_.has("memory.memsw.limit_in_bytes")) return {};
    return memory_limits_.write("memory.memsw.limit_in_bytes", bytes);
  }

  Status bound(int64_t cpus) const {
    const auto text = read_text(bandwidth_, "cpu.cfs_period_us");
    const auto period = text ? parse_integer<int64_t>(trim(*text)) : std::nullopt;
    if (!period) return step_error("reading the cgroup's cpu.cfs_period_us", errno);
    return write_setting(bandwidth_, "cpu.cfs_quota_us", cat(cpus * *period));
  }

  int64_t memory_limit_ = 0;  // bytes; 0: none
  std::string freezer_;
  std::string memory_;
  std::string pids_;
  std::string cpu_;
  std::string bandwidth_;
  std::vector<std::string> made_;
  Status shared_;
  CgroupFiles memory_limits_;
  CgroupFiles memory_counters_;
  CgroupFiles pids_limits_;
  CgroupFiles pids_counters_;
  CgroupFiles cpu_counters_;
  std::vector<os::Fd> tasks_;
};

}  // namespace

Result<std::unique_ptr<Cgroup>> make_cgroup_v1(const CgroupFacts& facts, const std::string& name) {
  auto cgroup = std::make_unique<CgroupV1>();
  TRY(cgroup->set_up(facts, name));
  return std::unique_ptr<Cgroup>(std::move(cgroup));
}

}  // namespace paddock::sandbox

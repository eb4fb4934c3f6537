#include "cli/pool/waiting_runs.h"

#include <algorithm>
#include <tuple>

#include "common/base/text.h"
#include "common/contracts/nodes_fit.h"

namespace paddock::cli {
namespace {

using contracts::AcceleratorKind;
using contracts::Run;

// The time that the scheduler adds to a run's own, for its files, its environment and its
// artifacts.
constexpr Millis kAroundCommand = std::chrono::minutes(2);
// From a job's start to its agent's first call.
constexpr Millis kToStart = std::chrono::seconds(30);
constexpr int64_t kAgentMib = 256;
constexpr int64_t kMib = int64_t{1} << 20;

int64_t mib_of(int64_t bytes) { return bytes / kMib + (bytes % kMib == 0 ? 0 : 1); }

int64_t gang_size(const Run& run) {
  return run.status.element ? run.status.element->members.value_or(1) : 1;
}

// As opposed to one whose turn is next, or whose namespace is over its quota: for these an older
// controller gives the same reason, and other words. So does a gang's member that waits for
// another.
bool waits_for_a_node(const Run& run) {
  return run.status.reason == Reason("UNSCHEDULABLE") &&
         contracts::says_nodes_fit(run.status.message);
}

PilotSize needs_of(const Run& run) {
  PilotSize needs;
  needs.nodes = gang_size(run);
  const auto& resources = run.spec.resources;
  if (!resources) return needs;
  needs.cpus = std::max<int64_t>(1, resources->cpu.value_or(1));
  if (resources->memory) needs.memory_mib = mib_of(resources->memory->bytes);
  if (resources->accelerators) needs.gpus = resources->accelerators->count;
  return needs;
}

Millis stay_of(const Run& run) {
  constexpr Millis kMost = std::chrono::hours(24 * 365);
  const auto of = [kMost](const auto& time) {
    return time ? std::min(time->value, kMost) : Millis(0);
  };
  const Millis wall = run.status.policy ? of(run.status.policy->limits.wall_time) : Millis(0);
  return wall + of(run.spec.termination_grace) + kAroundCommand;
}

std::string too_large(const PilotSize& needs, const SizeSettings& size) {
  if (needs.cpus > size.max_cpus)
    return cat("it asks for ", needs.cpus, " cores, and a pilot has at most ", size.max_cpus,
               " (size.maxCpus)");
  if (needs.memory_mib > size.max_memory.bytes / kMib)
    return cat("it asks for ", needs.memory_mib, "Mi of memory, and a pilot has at most ",
               format_quantity(size.max_memory.bytes), " (size.maxMemory)");
  if (needs.gpus > size.max_gpus)
    return cat("it asks for ", needs.gpus, " accelerators, and a pilot has at most ", size.max_gpus,
               " (size.maxGpus)");
  return "";
}

std::string missing_label(const Run& run, const PoolSettings& settings) {
  for (const auto& [name, value] : run.spec.node_selector) {
    if (name == kPoolLabel && value == settings.name) continue;
    const auto found = settings.pilot.labels.find(name);
    if (found == settings.pilot.labels.end() || found->second != value)
      return cat("it asks for a node with ", name, "=", value,
                 ", which pilots do not have "
                 "(pilot.labels)");
  }
  return "";
}

}  // namespace

std::optional<WaitingRun> waiting_run(const Run& run, WallTime now) {
  if (run.status.phase != contracts::RunPhase::kPending || run.spec.cancel_requested ||
      run.metadata.deletion_timestamp || contracts::is_array(run.spec) || !waits_for_a_node(run))
    return std::nullopt;
  if (run.status.retry_at && run.status.retry_at->value > now) return std::nullopt;
  return WaitingRun{run.metadata.name_space, run.metadata.name, run.metadata.uid, needs_of(run)};
}

std::string never_fits(const Run& run, const PoolSettings& settings) {
  if (gang_size(run) > settings.max_pilots)
    return cat("its gang's ", gang_size(run), " members need a pilot each, and there are at most ",
               settings.max_pilots, " (maxPilots)");
  const auto& resources = run.spec.resources;
  if (resources && resources->accelerators &&
      resources->accelerators->kind == AcceleratorKind::kApple)
    return "it asks for an accelerator of Apple's, which no Slurm has";
  if (std::string why = too_large(needs_of(run), settings.size); !why.empty()) return why;
  if (std::string why = missing_label(run, settings); !why.empty()) return why;
  const Millis longest = settings.pilot.walltime.value - kBeforeEnd - kToStart;
  if (stay_of(run) <= longest) return "";
  return cat("it may take ", format_duration(stay_of(run)),
             " with what is around its command, and "
             "a pilot is there for ",
             format_duration(longest),
             "; give the run a shorter timeout, or the pool a longer pilot.walltime");
}

PilotSize size_for(const PilotSize& needs, const SizeSettings& size) {
  PilotSize out = needs;
  out.cpus = std::clamp(needs.cpus, size.min_cpus, size.max_cpus);
  const int64_t with_agent = needs.memory_mib > 0 ? needs.memory_mib + kAgentMib : 0;
  out.memory_mib =
      std::clamp(with_agent, mib_of(size.min_memory.bytes), size.max_memory.bytes / kMib);
  return out;
}

void sort_as_queued(std::vector<Run>& runs) {
  const auto key = [](const Run& run) {
    const auto& made = run.metadata.creation_timestamp;
    return std::tuple(-run.spec.priority, made ? made->value.ms : 0, run.metadata.uid);
  };
  std::ranges::sort(runs, {}, key);
}

}  // namespace paddock::cli

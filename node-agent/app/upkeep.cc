#include "node-agent/app/upkeep.h"

#include <algorithm>
#include <iterator>

#include "common/base/log.h"
#include "node-agent/app/room_settings.h"
#include "node-agent/host/node_status.h"
#include "node-agent/runtimes/environment_store.h"

namespace paddock::agent {
namespace {

constexpr Millis kPruneEvery = std::chrono::hours(1);
constexpr Millis kLookEvery{5'000};     // at the host's memory and devices, while a run has one
constexpr Millis kLookSeldom{30'000};   // else
constexpr Millis kMeasureEvery{5'000};  // a hundred runs take some 5 ms of a core
constexpr Millis kDiskEvery{5'000};     // which fills up faster, and is asked at no cost
constexpr Millis kTrialEvery{1'000};    // whether the disk keeps somebody waiting: no disk is asked

void prune_environments(const std::string& dir, WallTime now) {
  const auto removed = runtimes::prune_environments(dir, now, runtimes::kUnusedEnvironmentKept);
  if (!removed) {
    log_warn("environments could not be pruned", {{"error", removed.error().describe()}});
  } else if (*removed > 0) {
    log_info("environments pruned", {{"count", std::to_string(*removed)}});
  }
}

}  // namespace

Upkeep::Upkeep(const AgentParts& parts)
    : parts_(parts),
      settings_(host_settings_of(parts.config)),
      folders_(settings_.data_dir, [this] { return parts_.cache.blobs().check_there(); }),
      trial_(
          [this] {
            auto fault = look_for_fault(settings_.data_dir, settings_.sandbox_program);
            return fault ? fault : folders_.look();
          },
          parts.clock),
      pace_(kLookSeldom, parts.clock.mono()),
      pruning_(Regularly::First::kAtOnce, kPruneEvery,
               [this] { prune_environments(settings_.data_dir, parts_.clock.wall()); }),
      watching_(settings_.sandbox_program, [this] { use_new_launcher(); }),
      looking_(Regularly::First::kLater, kLookEvery, [this] { look_again(); }),
      measuring_(Regularly::First::kAtOnce, kMeasureEvery, [this] { parts_.usage.tell(); }),
      tending_(Regularly::First::kLater, kDiskEvery, [this] { tend_disk(); }),
      trying_(Regularly::First::kLater, kDiskEvery, [this] { try_host(); }),
      watching_trial_(Regularly::First::kLater, kTrialEvery, [this] { watch_trial(); }),
      keeper_(parts.credentials, parts.config.name, parts.config.rotate_credential.value,
              parts.clock) {
  parts_.prover.start();
  if (parts_.proof_is_older) parts_.prover.prove_again();
}

// Sandboxes that wait were made by the former program, and the proof of what this host enforces was
// the former program's, too. So both are made anew.
void Upkeep::use_new_launcher() {
  log_info("the launcher is another program now; trying its sandbox");
  parts_.launchers.replace();
  parts_.calls.discard_warm();
  parts_.prover.prove_again();
}

void Upkeep::look_again() {
  if (!pace_.due(parts_.clock.mono(), parts_.accelerators.in_use())) return;
  const devices::Host found = parts_.look.look();
  parts_.accelerators.know(found.accelerators);
  parts_.usage.know(found.loads);
  parts_.host.change([&](contracts::NodeStatus& now) { take_over(found, now); });
}

// A disk that is slow, or hangs, holds up nothing else of the agent. Where the cache's own disk is
// full no run's end would prune it, since there are none.
void Upkeep::try_host() {
  const auto fault = trial_.look();
  if (fault && fault->reason == contracts::kNodeDiskFull) parts_.cache.clean_up(parts_.clock, true);
  parts_.host.change([&](contracts::NodeStatus& now) {
    take_over_fault(fault ? fault : parts_.prover.fault(), now, parts_.clock.wall());
  });
}

// While the trial waits for the disk somebody else has to say so. It is asked again in the change:
// one that has ended meanwhile has said what is so now.
void Upkeep::watch_trial() {
  if (!trial_.stall()) return;
  parts_.host.change([&](contracts::NodeStatus& now) {
    if (const auto stall = trial_.stall()) take_over_fault(stall, now, parts_.clock.wall());
  });
}

// Normally the end of a run prunes the cache, but a full disk gets no runs, so it is pruned here.
// Cached files that nobody uses are removed before any run is ended.
void Upkeep::tend_disk() {
  bool full = false;
  const DiskUse use = parts_.runs.disk_use();
  const auto room = devices::disk_room(settings_.data_dir);
  parts_.host.change([&](contracts::NodeStatus& now) {
    take_over(room, use, settings_.min_free, now, parts_.clock.wall());
    full = contracts::disk_pressure(now) != nullptr;
  });
  if (full) parts_.runs.free_ended();
  if ((full || parts_.disk.is_short()) && parts_.cache.clean_up(parts_.clock, true))
    parts_.disk.made_room();
  if (const auto left = devices::disk_room(settings_.data_dir); left && full)
    relieve_disk(*left, settings_.min_free, [&] {
      std::vector<DiskWriter> out = parts_.runs.disk_writers();
      std::ranges::move(parts_.calls.disk_writers(), std::back_inserter(out));
      return out;
    });
}

}  // namespace paddock::agent

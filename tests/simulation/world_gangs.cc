// Gangs of a world: those that are sent, and the members that the controller makes of them.
#include "common/base/text.h"
#include "controller/store/run_writes.h"
#include "tests/simulation/world.h"

namespace paddock::simulation {

// A gang has as many members as there are hosts, or fewer, so that it can be placed.
void World::submit_gang_now_and_then() {
  if (!has_gangs_ || gangs_.below(100) >= 8) return;
  contracts::Run gang;
  gang.metadata.name = cat("gang-", acknowledged_.size());
  gang.metadata.name_space = "default";
  gang.metadata.uid = make_uuid(gangs_);
  gang.spec.command.argv = {"true"};
  gang.spec.priority = static_cast<int64_t>(gangs_.below(3));
  gang.spec.nodes = static_cast<int64_t>(1 + gangs_.below(hosts_.size()));
  if (*gang.spec.nodes <= kLimitedRuns && gangs_.below(2) == 0)
    gang.metadata.name_space = "limited";
  gang.spec.resources.emplace().cpu = static_cast<int64_t>(1 + gangs_.below(2));
  gang.status.policy.emplace().limits.memory = wire::Quantity{int64_t{1} << 30};
  gang.status.policy->limits.fs_bytes = wire::Quantity{int64_t{1} << 30};
  if (gangs_.below(2) == 0) gang.spec.retry = contracts::RetryPolicy{.max_attempts = 3};
  if (gangs_.below(8) == 0)
    gang.spec.deadline =
        wire::Duration{Millis(static_cast<int64_t>(10'000 + gangs_.below(300'000)))};
  const Status stored = store_->write([&](store::WriteTxn& txn) {
    return store::create_run(txn, gang, runs::admit(gang, clock_.wall()));
  });
  must(stored, "submit a gang");
  (stored.ok() ? acknowledged_ : refused_).push_back(gang.metadata.uid);
}

// Members are made by the controller, and watched as any run from then on.
void World::meet_members() {
  if (!has_gangs_) return;
  must(store_->read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto active, txn.active_runs());
    for (const contracts::Run& run : active) {
      if (run.status.element && met_.insert(run.metadata.uid).second)
        acknowledged_.push_back(run.metadata.uid);
    }
    return {};
  }),
       "meet members");
}

}  // namespace paddock::simulation

#include "node-agent/executor/accelerator_step.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/append_new.h"
#include "common/base/text.h"
#include "node-agent/executor/device_hold.h"

namespace paddock::executor {

Status AcceleratorStep::prepare() {
  const auto& resources = run_.assignment.spec.resources;
  if (!resources || !resources->accelerators) return {};
  devices::AcceleratorLedger* const ledger = run_.ports.accelerators;
  if (ledger == nullptr)
    return Error{Code::kUnavailable, "ACCELERATOR_UNAVAILABLE", "this node has no accelerators"};
  ASSIGN_OR_RETURN(devices::AcceleratorLedger::Hold taken, ledger->take(*resources->accelerators));
  hold(std::move(taken));
  run_.record.accelerators = held();
  run_.record.held = {run_.ports.clock.mono().ms, this_boot()};
  run_.log.say(cat("accelerators: ", join(run_.record.accelerators, ", ")));
  return {};
}

Status AcceleratorStep::add(contracts::LaunchRequest& request) {
  if (!held_) return {};
  devices::Access access = devices::access_to(held_->granted());
  append_new(request.policy.devices, access.nodes);
  std::ranges::move(access.mounts, std::back_inserter(request.mounts));
  request.env.merge(access.env);
  return {};
}

void AcceleratorStep::take_again() {
  if (run_.ports.accelerators != nullptr)
    hold(run_.ports.accelerators->take_again(run_.record.accelerators));
}

void AcceleratorStep::undo() {
  held_.reset();
  ids_.with([](auto& ids) { ids.clear(); });
}

void AcceleratorStep::hold(devices::AcceleratorLedger::Hold hold) {
  held_.emplace(std::move(hold));
  ids_.with([&](auto& ids) { ids = held_->ids(); });
}

std::vector<std::string> AcceleratorStep::held() const {
  return ids_.with([](const auto& ids) { return ids; });
}

void AcceleratorStep::account(contracts::RunOutcome& outcome) const {
  const RunRecord& record = run_.record;
  if (record.accelerators.empty() || !outcome.result) return;
  const Millis held = held_for(record.held, {run_.ports.clock.mono().ms, this_boot()},
                               Millis(outcome.result->duration_ms));
  outcome.result->usage.accelerator_ms =
      held.count() * static_cast<int64_t>(record.accelerators.size());
}

}  // namespace paddock::executor

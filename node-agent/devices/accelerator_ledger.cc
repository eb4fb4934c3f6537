#include "node-agent/devices/accelerator_ledger.h"

#include <algorithm>
#include <utility>

#include "common/base/log.h"

namespace paddock::devices {

AcceleratorLedger::Hold::~Hold() {
  if (!ledger_) return;
  ledger_->with([&](State& state) {
    for (const Accelerator& each : granted_) {
      const auto found = std::ranges::find(state.used, each.id);
      if (found != state.used.end()) state.used.erase(found);
    }
  });
}

std::vector<std::string> AcceleratorLedger::Hold::ids() const {
  std::vector<std::string> out;
  for (const Accelerator& each : granted_) out.push_back(each.id);
  return out;
}

void AcceleratorLedger::know(const std::vector<Accelerator>& there) {
  const auto before = state_->with([&](State& state) { return std::exchange(state.there, there); });
  for (const Accelerator& each : there) {
    const auto known = std::ranges::find(before, each.id, &Accelerator::id);
    const std::string fault = known == before.end() ? "" : known->fault;
    if (each.fault == fault) continue;
    if (each.fault.empty()) {
      log_info("an accelerator is well again", {{"kind", each.kind}, {"id", each.id}});
    } else {
      log_warn("an accelerator gets no runs",
               {{"kind", each.kind}, {"id", each.id}, {"fault", each.fault}});
    }
  }
}

bool AcceleratorLedger::in_use() const {
  return state_->with([](const State& state) { return !state.used.empty(); });
}

Result<AcceleratorLedger::Hold> AcceleratorLedger::take(const contracts::Accelerators& wish) {
  auto chosen = state_->with([&](State& state) {
    auto suits = choose(state.there, state.used, wish);
    if (suits) {
      for (const Accelerator& each : *suits) state.used.push_back(each.id);
    }
    return suits;
  });
  if (!chosen) return std::move(chosen).error();
  return Hold(state_, std::move(*chosen));
}

AcceleratorLedger::Hold AcceleratorLedger::take_again(const std::vector<std::string>& ids) {
  std::vector<Accelerator> held;
  state_->with([&](State& state) {
    for (const std::string& id : ids) {
      const auto found = std::ranges::find(state.there, id, &Accelerator::id);
      held.push_back(found != state.there.end() ? *found : Accelerator{.id = id});
      state.used.push_back(id);
    }
  });
  return {state_, std::move(held)};
}

}  // namespace paddock::devices

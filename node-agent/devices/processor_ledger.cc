#include "node-agent/devices/processor_ledger.h"

#include <algorithm>

namespace paddock::devices {

ProcessorLedger::Hold::~Hold() {
  if (!ledger_) return;
  ledger_->with([&](Counts& counts) {
    for (const int64_t each : held_) --counts[each];
  });
}

ProcessorLedger::ProcessorLedger(const std::vector<int64_t>& there) {
  counts_->with([&](Counts& counts) {
    for (const int64_t each : there) counts[each] = 0;
  });
}

ProcessorLedger::Hold ProcessorLedger::take(int64_t count) {
  std::vector<int64_t> out;
  counts_->with([&](Counts& counts) {
    for (const auto& [processor, runs] : counts) out.push_back(processor);
    std::ranges::stable_sort(out, {}, [&](int64_t each) { return counts[each]; });
    out.resize(std::min(out.size(), static_cast<size_t>(std::max<int64_t>(count, 0))));
    for (const int64_t each : out) ++counts[each];
  });
  return {counts_, std::move(out)};
}

ProcessorLedger::Hold ProcessorLedger::take_again(const std::vector<int64_t>& processors) {
  std::vector<int64_t> out;
  counts_->with([&](Counts& counts) {
    for (const int64_t each : processors) {
      const auto found = counts.find(each);
      if (found == counts.end()) continue;  // not this agent's any more
      ++found->second;
      out.push_back(each);
    }
  });
  return {counts_, std::move(out)};
}

}  // namespace paddock::devices

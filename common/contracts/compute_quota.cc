#include "common/contracts/compute_quota.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::contracts {

namespace {

int64_t devices_in(const std::vector<DevicesOfKind>& devices, AcceleratorKind kind) {
  const auto found = std::ranges::find(devices, kind, &DevicesOfKind::kind);
  return found == devices.end() ? 0 : found->count;
}

}  // namespace

std::string quota_text(const ComputeQuota& quota, const std::optional<QuotaUse>& use) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, const std::string& used, const std::string& limit) {
    parts.push_back(cat(name, " ", use ? cat(used, "/") : "", limit));
  };
  const QuotaUse used = use.value_or(QuotaUse{});
  if (quota.runs) add("runs", cat(used.runs), cat(*quota.runs));
  if (quota.cpu) add("cpu", cat(used.cpu), cat(*quota.cpu));
  if (quota.memory)
    add("memory", format_quantity(used.memory.bytes), format_quantity(quota.memory->bytes));
  if (quota.disk) add("disk", format_quantity(used.disk.bytes), format_quantity(quota.disk->bytes));
  for (const DevicesOfKind& each : quota.accelerators) {
    const bool any = each.kind == AcceleratorKind::kAny;
    add(any ? "accelerators" : wire::enum_name(each.kind),
        cat(devices_in(used.accelerators, each.kind)), cat(each.count));
  }
  return join(parts, ", ");
}

}  // namespace paddock::contracts

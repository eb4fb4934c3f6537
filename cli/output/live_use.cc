#include "cli/output/live_use.h"

#include "common/base/text.h"
#include "common/base/units.h"

namespace paddock::cli {
namespace {

using wire::Value;

// A run's metrics have its amounts in its one container.
const Value* amounts_in(const Value& metrics) {
  if (const Value* usage = metrics.find("usage")) return usage;
  const Value* containers = metrics.find("containers");
  if (containers == nullptr || containers->array() == nullptr || containers->array()->empty())
    return nullptr;
  return containers->array()->front().find("usage");
}

std::optional<int64_t> thousandths(std::string_view text) {
  if (text.ends_with('m')) return parse_integer<int64_t>(text.substr(0, text.size() - 1));
  const auto whole = parse_integer<int64_t>(text);
  constexpr int64_t kMost = INT64_MAX / 1000;
  if (!whole || *whole > kMost || *whole < 0) return std::nullopt;
  return *whole * 1000;
}

std::optional<wire::Quantity> bytes(std::string_view text) {
  const auto number = parse_integer<int64_t>(text);
  return number ? std::optional(wire::Quantity{*number}) : std::nullopt;
}

}  // namespace

contracts::Use use_in(const Value& metrics) {
  contracts::Use use;
  const Value* amounts = amounts_in(metrics);
  if (amounts == nullptr) return use;
  use.cpu_milli = thousandths(amounts->text(contracts::kCpuAmount));
  use.memory = bytes(amounts->text(contracts::kMemoryAmount));
  use.tasks = parse_integer<int64_t>(amounts->text(contracts::kTasksAmount));
  use.accelerator_milli = thousandths(amounts->text(contracts::kAcceleratorAmount));
  use.accelerator_memory = bytes(amounts->text(contracts::kAcceleratorMemoryAmount));
  return use;
}

std::string units_text(const std::optional<int64_t>& thousandths) {
  if (!thousandths) return "-";
  const std::string hundredths = cat(*thousandths % 1000 / 10);
  return cat(*thousandths / 1000, ".", hundredths.size() < 2 ? "0" : "", hundredths);
}

std::string bytes_text(const std::optional<wire::Quantity>& bytes) {
  return bytes ? format_bytes(bytes->bytes) : "-";
}

std::string count_text(const std::optional<int64_t>& count) { return count ? cat(*count) : "-"; }

}  // namespace paddock::cli

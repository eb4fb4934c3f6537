#include "controller/api/metrics/device_time.h"

#include "common/base/text.h"
#include "controller/api/metrics/metrics.h"

namespace paddock::api {

void DeviceTimeMetrics::count(const nodes::DeviceTimes& times) {
  if (times.empty()) return;
  held_.with([&](auto& held) {
    for (const nodes::DeviceTime& each : times) held[{each.name_space, each.kind}] += each.held;
  });
}

std::string DeviceTimeMetrics::text() const {
  constexpr const char* kName = "paddock_namespace_accelerator_seconds_total";
  std::string out =
      metric_type(kName, "counter",
                  "time that ended runs held accelerators, times their number, by the kind they "
                  "asked for");
  held_.with([&](const auto& held) {
    for (const auto& [key, time] : held) {
      out += cat(kName, "{namespace=\"", key.first, "\",kind=\"", wire::enum_name(key.second),
                 "\"} ", metric_seconds(time.count()), "\n");
    }
  });
  return out;
}

}  // namespace paddock::api

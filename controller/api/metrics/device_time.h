// How long runs held accelerators, for /metrics: of attempts that ended since this process started.
// Any thread.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "common/base/guarded.h"
#include "controller/nodes/reports.h"

namespace paddock::api {

class DeviceTimeMetrics {
 public:
  void count(const nodes::DeviceTimes& times);
  std::string text() const;

 private:
  using Key = std::pair<std::string, contracts::AcceleratorKind>;
  Guarded<std::map<Key, Millis>> held_;
};

}  // namespace paddock::api

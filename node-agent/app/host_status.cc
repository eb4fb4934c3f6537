#include "node-agent/app/host_status.h"

#include <cstdlib>

namespace paddock::agent {

bool worth_telling(const contracts::NodeStatus& told, const contracts::NodeStatus& now) {
  const int64_t before = told.capacity.disk.bytes;
  const bool disk_moved = std::abs(now.capacity.disk.bytes - before) > before / 20;
  contracts::NodeStatus same_disk = now;
  same_disk.capacity.disk = told.capacity.disk;
  return disk_moved || wire::encode(same_disk) != wire::encode(told);
}

void HostStatus::publish() {
  const std::lock_guard lock(mutex_);
  tell_(status_);
}

void HostStatus::change(const std::function<void(contracts::NodeStatus&)>& how) {
  const std::lock_guard lock(mutex_);
  contracts::NodeStatus now = status_;
  how(now);
  if (!worth_telling(status_, now)) return;
  status_ = std::move(now);
  tell_(status_);
}

}  // namespace paddock::agent

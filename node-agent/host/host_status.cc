#include "node-agent/host/host_status.h"

#include <cstdlib>

namespace paddock::agent {

namespace {
bool moved(const wire::Quantity& before, const wire::Quantity& now) {
  return std::abs(now.bytes - before.bytes) > before.bytes / 20;
}
}  // namespace

bool worth_telling(const contracts::NodeStatus& told, const contracts::NodeStatus& now) {
  const wire::Quantity none;
  if (moved(told.capacity.disk, now.capacity.disk) ||
      moved(told.allocatable_disk.value_or(none), now.allocatable_disk.value_or(none)))
    return true;
  contracts::NodeStatus same_disk = now;
  same_disk.capacity.disk = told.capacity.disk;
  same_disk.allocatable_disk = told.allocatable_disk;
  return wire::encode(same_disk) != wire::encode(told);
}

void HostStatus::publish() {
  const std::lock_guard lock(mutex_);
  tell_(status_);
}

void HostStatus::change_and_tell(const std::function<void(contracts::NodeStatus&)>& how) {
  const std::lock_guard lock(mutex_);
  how(status_);
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

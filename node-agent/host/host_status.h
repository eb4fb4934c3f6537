// The status that the agent publishes about its host. It is renewed while the agent runs: disks
// fill up, devices come and go, memory is added.
#pragma once

#include <functional>
#include <mutex>

#include "common/contracts/node.h"

namespace paddock::agent {

// Whether the controller should hear of it: everything but small changes of the disk's room.
bool worth_telling(const contracts::NodeStatus& told, const contracts::NodeStatus& now);

// The status, and who is told when it changes. Any thread.
class HostStatus {
 public:
  using Tell = std::function<void(const contracts::NodeStatus&)>;
  HostStatus(contracts::NodeStatus status, Tell tell)
      : status_(std::move(status)), tell_(std::move(tell)) {}
  // Tells once at the start, then whatever is worth it.
  void publish();
  void change(const std::function<void(contracts::NodeStatus&)>& how);
  // Tells it in any case.
  void change_and_tell(const std::function<void(contracts::NodeStatus&)>& how);

 private:
  std::mutex mutex_;  // guards status_, and keeps what is told in order
  contracts::NodeStatus status_;
  Tell tell_;
};

}  // namespace paddock::agent

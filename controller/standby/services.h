// The parts of a controller that a standby has too: watches are told of changes by them, and open
// requests are counted. The standby hands them to the leader that it becomes, so that its watches
// go on and the connections that they hold stay counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "controller/api/server/open_requests.h"
#include "controller/events/notifier.h"
#include "controller/events/watch_history.h"

namespace paddock::standby {

struct Services {
  explicit Services(int64_t connections)
      : open_requests(std::make_shared<api::OpenRequests>(static_cast<size_t>(connections))) {}

  events::Notifier notifier;
  events::WatchHistory history;
  const std::shared_ptr<api::OpenRequests> open_requests;
};

}  // namespace paddock::standby

// What watches are told by, and all connections counted by: a standby begins it, and the leader
// that it becomes goes on with it, so that no watch ends there, and none is forgotten that holds a
// connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "controller/api/server/open_requests.h"
#include "controller/events/notifier.h"
#include "controller/events/watch_history.h"

namespace paddock::app {

struct Told {
  explicit Told(int64_t connections)
      : open_requests(std::make_shared<api::OpenRequests>(static_cast<size_t>(connections))) {}

  events::Notifier notifier;
  events::WatchHistory history;
  const std::shared_ptr<api::OpenRequests> open_requests;
};

}  // namespace paddock::app

// Follows one run's event stream across broken connections: no event lost, none twice.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/client/controller_client.h"
#include "common/client/reconnect.h"
#include "common/client/sse_parser.h"

namespace paddock::client {

// The event that an SSE message carries. UNEXPECTED_ANSWER if it is not one.
Result<contracts::RunEvent> decode_event(const SseEvent& message);

class EventFollower {
 public:
  using OnEvent = std::function<bool(const contracts::RunEvent&)>;
  EventFollower(ControllerClient& client, std::string target, int64_t after, Millis patience,
                const OnEvent& on_event)
      : client_(client),
        target_(std::move(target)),
        last_id_(after),
        on_event_(on_event),
        reconnect_(patience) {}
  Status run();

 private:
  enum class Next { kFinished, kReconnect };
  // One connection, until it ends.
  Result<Next> connect();
  bool take(const SseEvent& message);
  // Fails when there is no point in trying once more.
  Status wait_before_retry(const Failure& failure);

  ControllerClient& client_;
  const std::string target_;
  int64_t last_id_;
  const OnEvent& on_event_;
  Reconnect reconnect_;
  int gaps_ = 0;  // connections in a row that left the next event out
  bool finished_ = false;
  std::optional<Error> broken_;  // what the stream said that it must not
};

}  // namespace paddock::client

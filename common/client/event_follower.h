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
        reconnect_(patience, client.servers()) {}
  // From the last lines of the output on, by the query of `target`: until the first event is there.
  void begin_at(std::string query) { start_query_ = std::move(query); }
  Status run();
  // A server of an earlier release that cannot begin there: run() has handed nothing on.
  bool start_unknown() const { return start_unknown_; }

 private:
  enum class Next { kFinished, kReconnect };
  // One connection, until it ends.
  Result<Next> connect();
  bool take(const SseEvent& message);
  bool starts() const { return !start_query_.empty() && last_id_ == 0; }
  // Fails when there is no point in trying once more.
  Status wait_before_retry(const Failure& failure);

  ControllerClient& client_;
  const std::string target_;
  int64_t last_id_;
  std::string start_query_;   // empty: from behind last_id_
  bool start_known_ = false;  // said by this connection
  bool start_unknown_ = false;
  const OnEvent& on_event_;
  Reconnect reconnect_;
  int gaps_ = 0;  // connections in a row that left the next event out
  bool finished_ = false;
  std::optional<Error> broken_;  // what the stream said that it must not
};

}  // namespace paddock::client

// Follows the objects of a list across broken connections, by the watch rules of the Kubernetes
// API: from a list's resourceVersion on, each change once, in their order.
// Source:
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/client/controller_client.h"

namespace paddock::client {

class ObjectFollower {
 public:
  using OnChange = ControllerClient::OnChange;
  ObjectFollower(ControllerClient& client, std::string target, std::string version, Millis patience,
                 const OnChange& on_change)
      : client_(client),
        target_(std::move(target)),
        version_(std::move(version)),
        patience_(patience),
        on_change_(on_change),
        last_answer_(std::chrono::steady_clock::now()) {}
  Status run();

 private:
  // One connection, until it ends. True: that was all that is wanted.
  Result<bool> connect();
  bool take_piece(std::string_view piece);
  Status take_line(std::string_view line);
  Status wait_before_retry(const Failure& failure);

  ControllerClient& client_;
  const std::string target_;  // with a query already
  std::string version_;       // up to which all changes were seen
  const Millis patience_;
  const OnChange& on_change_;
  std::chrono::steady_clock::time_point last_answer_;
  std::string line_;  // its start, until the rest has come
  int failed_ = 0;    // connections in a row that brought nothing
  bool finished_ = false;
  std::optional<Error> broken_;  // what the stream said that it must not
};

}  // namespace paddock::client

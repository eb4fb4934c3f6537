// Follows the objects of a list across broken connections, by the watch rules of the Kubernetes
// API: from a list's resourceVersion on, each change once, in their order.
// Source:
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/client/controller_client.h"
#include "common/client/reconnect.h"

namespace paddock::client {

// The longest silence of a watch whose first bookmark came so long after it began; nothing: none
// came yet. Servers of earlier releases send one a minute, later ones more often: from those it is
// heard soon that nobody is there any more.
Millis watch_silence(std::optional<Millis> first_bookmark);

class ObjectFollower {
 public:
  using OnChange = ControllerClient::OnChange;
  ObjectFollower(ControllerClient& client, std::string target, std::string version, Millis patience,
                 const OnChange& on_change, ListForm form)
      : client_(client),
        target_(std::move(target)),
        version_(std::move(version)),
        on_change_(on_change),
        form_(form),
        reconnect_(patience, client.servers()) {}
  Status run();

 private:
  // One connection, until it ends. True: that was all that is wanted.
  Result<bool> connect();
  bool take_piece(std::string_view piece);
  Status take_line(std::string_view line);

  ControllerClient& client_;
  const std::string target_;  // with a query already
  std::string version_;       // up to which all changes were seen
  const OnChange& on_change_;
  const ListForm form_;
  Reconnect reconnect_;
  std::string line_;  // its start, until the rest has come
  MonoTime connected_;
  std::optional<Millis> first_bookmark_;  // of this connection
  bool finished_ = false;
  std::optional<Error> broken_;  // what the stream said that it must not
};

}  // namespace paddock::client

// The life of one connection on its own thread: request after request until one of both ends it.
#pragma once

#include <atomic>
#include <optional>

#include "controller/http_server/body.h"
#include "controller/http_server/codec.h"
#include "controller/http_server/disconnect_monitor.h"
#include "controller/http_server/origin.h"
#include "controller/http_server/server.h"

namespace paddock::http_server {

// Shared by all connections; outlives them.
struct ConnectionRules {
  const ServerOptions& options;
  const Handler& handler;
  const Codec& codec;
  const std::atomic<size_t>& serving;  // connections now, with this one
  DisconnectMonitor& disconnects;
};

class Connection {
 public:
  Connection(const ConnectionRules& rules, std::unique_ptr<Transport> transport, OwnNames names,
             bool over_unix_socket);
  void serve();
  // Instead of serve(): answers one error, whatever was asked.
  void refuse(const Error& error);

 private:
  bool begin();
  bool lacks_tls() const;
  Status check_tls(const RequestHead& head) const;
  Status check(const RequestHead& head) const;
  // Of the page that asks, if the operator named it.
  std::string origin_of(const RequestHead& head) const;
  bool serve_one();
  // Nothing: the connection ended between two requests.
  Result<std::optional<RequestHead>> next_head();
  bool wait_for_request();
  int idle_timeout_ms() const;
  bool answer(RequestHead head);
  Response call_handler(Request& request) const;

  const ConnectionRules& rules_;
  std::unique_ptr<Transport> transport_;
  Input input_;
  OwnNames names_;
  bool over_unix_socket_;
  Greeting greeting_;
  bool bytes_unread_ = false;  // the client may still be sending what nobody will read
};

}  // namespace paddock::http_server

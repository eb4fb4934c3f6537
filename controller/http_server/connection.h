// The life of one connection: request after request until one of both ends it. While it is served
// it has a thread; between requests it needs none. One thread at a time.
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
  std::atomic<size_t>& lingering;      // threads that wait a moment for their client's next request
  DisconnectMonitor& disconnects;
};

class Connection {
 public:
  Connection(const ConnectionRules& rules, std::unique_ptr<Transport> transport, OwnNames names,
             bool over_unix_socket);
  // What is waited on without a thread.
  int fd() const { return transport_->watched_fd(); }
  // Once, before all else: how long the client may take to send its first byte.
  Deadline first_deadline();
  // Answers what the client asks, on the calling thread, until it asks nothing for a moment: then
  // returns until when it may be silent. Nothing: the connection has ended.
  std::optional<Deadline> serve() { return serve(IdleWait::kElsewhere); }
  // The same, but waits itself until the connection has ended.
  void serve_to_end() { (void)serve(IdleWait::kHere); }
  // The connection ends between two requests. Does not block.
  void end();
  // Instead of serve(): answers one error, whatever was asked.
  void refuse(const Error& error);

 private:
  enum class IdleWait { kHere, kElsewhere };
  enum class Next { kRequest, kIdle, kEnd };
  std::optional<Deadline> serve(IdleWait idle);
  bool begin(Deadline deadline);
  bool lacks_tls() const;
  Status check_tls(const RequestHead& head) const;
  Status check(const RequestHead& head) const;
  // Of the page that asks, if the operator named it.
  std::string origin_of(const RequestHead& head) const;
  bool serve_one();
  // Nothing: the connection ended between two requests.
  Result<std::optional<RequestHead>> next_head();
  Next wait_for_request(IdleWait idle);
  IoState linger(Deadline until) const;
  int idle_timeout_ms() const;
  bool answer(RequestHead head);
  Response call_handler(Request& request) const;

  const ConnectionRules& rules_;
  std::unique_ptr<Transport> transport_;
  Input input_;
  OwnNames names_;
  bool over_unix_socket_;
  Greeting greeting_;
  bool begun_ = false;
  std::optional<Deadline> silent_until_;  // while it waits for the client's next request
  bool bytes_unread_ = false;             // the client may still be sending what nobody will read
};

}  // namespace paddock::http_server

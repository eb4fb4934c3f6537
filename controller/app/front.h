// The socket of a controller. It listens once, and the handler that answers behind it can be
// exchanged while it serves. A request that has begun, a watch too, stays with the handler that it
// began with.
#pragma once

#include <memory>

#include "common/base/guarded.h"
#include "common/base/result.h"
#include "controller/http_server/server.h"

namespace paddock::app {

class Front {
 public:
  static Result<std::unique_ptr<Front>> open(http_server::ServerOptions options,
                                             http_server::Handler first);

  // The handler that answers now must go on answering what it was asked until stop().
  void serve(http_server::Handler next);
  int port() const { return server_->port(0); }
  void stop() { server_->stop(); }

 private:
  using Shared = std::shared_ptr<const http_server::Handler>;
  std::shared_ptr<Guarded<Shared>> now_ = std::make_shared<Guarded<Shared>>();
  std::unique_ptr<http_server::Server> server_;
};

}  // namespace paddock::app

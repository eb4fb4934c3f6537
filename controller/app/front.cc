#include "controller/app/front.h"

#include <utility>

namespace paddock::app {

Result<std::unique_ptr<Front>> Front::open(http_server::ServerOptions options,
                                           http_server::Handler first) {
  std::unique_ptr<Front> front(new Front);
  front->serve(std::move(first));
  ASSIGN_OR_RETURN(
      front->server_,
      http_server::Server::start(std::move(options), [now = front->now_](http_server::Request& in) {
        const Shared handler = now->with([](const Shared& each) { return each; });
        return (*handler)(in);
      }));
  return front;
}

void Front::serve(http_server::Handler next) {
  auto shared = std::make_shared<const http_server::Handler>(std::move(next));
  now_->with([&](Shared& now) { now.swap(shared); });
}

}  // namespace paddock::app

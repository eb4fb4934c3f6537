#include "controller/api/server/stream_here.h"

#include <memory>
#include <utility>

#include "controller/events/waiter.h"
#include "controller/http_server/refusal.h"

namespace paddock::api {
namespace {

// Waits once, then has to be called again, unless the client is gone. True: the answer can be made.
bool is_due(HeldAnswer& held, events::Waiter& waiter) {
  if (const auto limit = held.wait(waiter.wakeup())) {
    waiter.wait(*limit);
    return waiter.gone();
  }
  return waiter.gone() || held.settle();
}

}  // namespace

void stream_here(const Response& response, ResponseStream& out) {
  if (response.stream) response.stream(out);
  if (!response.steps) return;
  events::Waiter waiter(out.client());
  Steps::Next next{Steps::Then::kAgain};
  while (out.open()) {
    const bool ask = next.then == Steps::Then::kAsk;
    next = ask ? response.steps->ask(out) : response.steps->step(out, waiter.wakeup());
    if (next.then == Steps::Then::kEnd) return;
    if (next.then == Steps::Then::kBroken) return out.break_off();
    if (next.then == Steps::Then::kWait) waiter.wait(next.limit);
  }
}

Response answer_here(Response response, const DisconnectToken& client) {
  if (!response.later) return response;
  const std::shared_ptr<HeldAnswer> held = std::move(response.later);
  events::Waiter waiter(client);
  while (!is_due(*held, waiter)) {
  }
  Result<Response> made = held->make();
  return made.ok() ? std::move(*made) : http_server::refusal(made.error());
}

}  // namespace paddock::api

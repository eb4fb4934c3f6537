#include "controller/http_server/awaited_answer.h"

#include <exception>

#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/http_server/refusal.h"

namespace paddock::http_server {

Turn AwaitedAnswer::turn(const Transport& transport) {
  waker_->begin();
  if (transport.stopping() || transport.peer_gone()) return {Turn::Then::kDue};
  try {
    const auto limit = held_->wait(waker_);
    if (limit) return {Turn::Then::kWait, Deadline::in_ms(limit->count())};
  } catch (const std::exception& e) {
    log_error("an answer that was held threw", {{"what", to_utf8_lossy(e.what())}});
  } catch (...) {
    log_error("an answer that was held threw");
  }
  return {Turn::Then::kDue};
}

bool AwaitedAnswer::settle(const Transport& transport) {
  if (transport.stopping() || transport.peer_gone()) return true;
  try {
    return held_->settle();
  } catch (const std::exception& e) {
    log_error("an answer that was held threw", {{"what", to_utf8_lossy(e.what())}});
  } catch (...) {
    log_error("an answer that was held threw");
  }
  return true;
}

Response AwaitedAnswer::make() {
  waker_->begin();  // it may be due before its turn: no wake() finds it parked
  try {
    Result<Response> made = held_->make();
    return made.ok() ? std::move(*made) : refusal(made.error());
  } catch (const std::exception& e) {
    log_error("an answer that was held threw", {{"what", to_utf8_lossy(e.what())}});
  } catch (...) {
    log_error("an answer that was held threw");
  }
  return refusal({Code::kInternal, "INTERNAL", "the request could not be handled"});
}

}  // namespace paddock::http_server

#include "controller/api/handlers/runs/run_stream.h"

#include "controller/events/notifier.h"

namespace paddock::api {
namespace {

constexpr int64_t kPage = 256;  // events read at a time, which bounds a stream's memory
constexpr Millis kHeartbeat{1000};

struct Look {
  std::vector<contracts::RunEvent> events;
  bool complete = false;  // nothing will follow these
};

Result<Look> look(Services& services, const std::string& uid, int64_t after) {
  Look out;
  TRY(services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const contracts::Run run, txn.run_by_uid(uid));
    ASSIGN_OR_RETURN(out.events, txn.run_events(uid, after, kPage));
    out.complete =
        contracts::is_terminal(run.status.phase) && out.events.size() < static_cast<size_t>(kPage);
    return {};
  }));
  return out;
}

}  // namespace

void follow_run(Services& services, const Follow& follow, HeldToken token, ResponseStream& out,
                const std::function<bool(const std::vector<contracts::RunEvent>&)>& take,
                const std::function<bool()>& idle) {
  const std::string topic = store::run_topic(follow.run_uid);
  events::Waiter waiter(out.client());
  int64_t after = follow.after;
  while (out.open()) {
    const uint64_t seen = services.notifier.version(topic);
    const Result<Look> now = look(services, follow.run_uid, after);
    if (!now) {  // deleted; or it cannot be read here, and the client resumes where it can
      if (now.error().code != Code::kNotFound) out.break_off();
      return;
    }
    if (!now->events.empty()) {
      if (!take(now->events)) return;
      after = now->events.back().id;
    }
    if (now->complete) return;
    if (const Status held = token.check(); !held.ok()) {
      if (held.error().code == Code::kUnavailable) out.break_off();
      return;
    }
    if (now->events.size() == static_cast<size_t>(kPage)) continue;
    if (!follow.follow) return;
    const bool woken = services.notifier.wait(topic, seen, kHeartbeat, waiter);
    if (services.notifier.stopped()) return;
    if (!woken && !idle()) return;
  }
}

}  // namespace paddock::api

#include "controller/api/handlers/runs/run_stream.h"

#include <utility>

#include "controller/events/notifier.h"

namespace paddock::api {
namespace {

constexpr int64_t kPage = 256;  // events read at a time, which bounds a stream's memory
constexpr Millis kHeartbeat{1000};

struct Look {
  std::vector<contracts::RunEvent> events;
  bool more = false;      // there may be some behind these already
  bool complete = false;  // nothing will follow these
};

// Whether the run may have ended with these events. The run itself is read only then, and not with
// each piece of output, since an event tells of every change of its phase.
bool may_end_with(const std::vector<contracts::RunEvent>& events) {
  if (events.empty()) return true;
  const std::string& last = events.back().type;
  return last == contracts::kEventPhase || last == contracts::kEventEnd;
}

Result<Look> look(Services& services, const std::string& uid, int64_t after) {
  Look out;
  TRY(services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(out.events, txn.run_events(uid, after, kPage));
    out.more = out.events.size() == static_cast<size_t>(kPage);
    if (out.more || !may_end_with(out.events)) return {};
    ASSIGN_OR_RETURN(const contracts::Run run, txn.run_by_uid(uid));
    out.complete = contracts::is_terminal(run.status.phase);
    return {};
  }));
  return out;
}

// Whether that was all, or all that `take` wanted. If not, the client resumes where it can, or
// hears there why not. The store is looked at once whoever changes or deletes the run has told of
// it, and at no other time.
bool tell_all(Services& services, const Follow& follow, HeldToken token, ResponseStream& out,
              const std::function<bool(const std::vector<contracts::RunEvent>&)>& take,
              const std::function<bool()>& idle) {
  const std::string topic = store::run_topic(follow.run_uid);
  events::Waiter waiter(out.client());
  int64_t after = follow.after;
  uint64_t seen = 0;
  for (bool news = true; out.open();) {
    if (news) {
      seen = services.notifier.version(topic);
      const Result<Look> now = look(services, follow.run_uid, after);
      if (!now) return now.error().code == Code::kNotFound;  // deleted
      if (!now->events.empty()) {
        if (!take(now->events)) return out.open();
        after = now->events.back().id;
      }
      if (now->complete) return true;
      if (!token.holds()) return false;
      if (now->more) continue;
      if (!follow.follow) return true;
    }
    news = services.notifier.wait(topic, seen, kHeartbeat, waiter);
    if (services.notifier.stopped()) return false;
    if (news) continue;
    if (!token.holds()) return false;
    if (!idle()) return out.open();
  }
  return false;
}

}  // namespace

void follow_run(Services& services, const Follow& follow, HeldToken token, ResponseStream& out,
                const std::function<bool(const std::vector<contracts::RunEvent>&)>& take,
                const std::function<bool()>& idle) {
  if (!tell_all(services, follow, std::move(token), out, take, idle)) out.break_off();
}

}  // namespace paddock::api

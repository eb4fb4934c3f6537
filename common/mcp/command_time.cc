#include "common/mcp/command_time.h"

#include <atomic>
#include <condition_variable>
#include <thread>

#include "common/base/guarded.h"
#include "common/base/start_thread.h"
#include "common/base/text.h"

namespace paddock::mcp {
namespace {

using wire::Value;

// Until the next cancel, of a command that nobody knew: it had not begun.
constexpr Millis kAgain{200};

// Tells the thread that waits for the end of the time that there is an answer.
class Answered {
 public:
  void note() {
    state_.with([](bool& answered) { answered = true; });
    changed_.notify_all();
  }
  // Whether there is one, at the latest after `limit`.
  bool wait(Millis limit) {
    return state_.wait_for(
        changed_, limit, [](bool answered) { return answered; },
        [](bool, bool answered) { return answered; });
  }

 private:
  Guarded<bool> state_{false};
  std::condition_variable changed_;
};

void tell_of_time(Millis time, Value& result) {
  if (result.text("errorClass") != "CANCELLED") return;
  result.set("errorClass", "TIMEOUT");
  result.set("code", Reason("COMMAND_TIMEOUT").str());
  result.set("reason", cat("the command took longer than the ", format_duration(time),
                           " that its caller gave it, and was ended"));
}

}  // namespace

Result<Value> run_within(Api& api, const Api::Ask& ask, Millis time) {
  const Api::Ask cancel{"POST", cat(ask.target, "/", ask.body.text("commandId"), "/cancel"),
                        Value::Object{}};
  const std::unique_ptr<Api> other = api.beside();
  Answered answered;
  std::atomic<bool> over = false;
  Result<std::thread> ender = start_thread([&] {
    for (bool done = answered.wait(time); !done; done = answered.wait(kAgain)) {
      over = true;
      if (other->send(cancel).ok()) return;
    }
  });
  if (!ender.ok()) return ender.error();
  Result<Value> result = api.send(ask);
  answered.note();
  ender->join();
  if (over && result.ok()) tell_of_time(time, *result);
  return result;
}

}  // namespace paddock::mcp

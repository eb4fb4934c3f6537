#include "common/mcp/command_time.h"

#include <condition_variable>
#include <thread>

#include "common/base/backoff.h"
#include "common/base/guarded.h"
#include "common/base/random.h"
#include "common/base/start_thread.h"
#include "common/base/text.h"

namespace paddock::mcp {
namespace {

using wire::Value;

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

// Whether the cancel was accepted, before there was an answer. A command that nobody knows has not
// begun, or ends now; what else can never succeed is not asked for again.
bool cancel_after(Millis time, Api& api, const Api::Ask& cancel, Answered& answered) {
  SystemRandom random;
  for (int failed = 1; !answered.wait(time); ++failed) {
    const Result<Value> done = api.send(cancel);
    if (done.ok()) return true;
    if (done.error().reason != "COMMAND_NOT_FOUND" && !retryable(done.error().code)) return false;
    time = backoff(failed, random);
  }
  return false;
}

bool was_canceled(const Result<Value>& result) {
  return result.ok() && result->text("errorClass") == "CANCELLED";
}

void tell_of_time(Millis time, Value& result) {
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
  bool accepted = false;
  Result<std::thread> ender =
      start_thread([&] { accepted = cancel_after(time, *other, cancel, answered); });
  if (!ender.ok()) return ender.error();
  Result<Value> result = api.send(ask);
  answered.note();
  if (!was_canceled(result)) other->give_up();  // else the answer to its cancel says who did it
  ender->join();
  if (accepted && was_canceled(result)) tell_of_time(time, *result);
  return result;
}

}  // namespace paddock::mcp

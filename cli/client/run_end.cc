#include "cli/client/run_end.h"

#include <thread>

#include "common/base/text.h"
#include "common/client/retry.h"

namespace paddock::cli {
namespace {

constexpr Millis kAskEvery{200};

bool is_transient(const Error& error) {
  if (error.reason == "ABORTED") return false;  // by a signal: whoever waits is to end
  return error.code == Code::kUnavailable || error.code == Code::kDeadlineExceeded;
}

}  // namespace

Result<contracts::Run> get_run_patiently(client::ControllerClient& client, const RunRef& run,
                                         const Env& env) {
  LivedTime waited(client::kLongestTry, env.clock.mono());
  for (;;) {
    Result<contracts::Run> answer = client.get_run(run.name_space, run.name);
    if (answer.ok() || !is_transient(answer.error())) return answer;
    if (waited.look(env.clock.mono()) >= env.patience) {
      return Error{Code::kUnavailable, "STREAM_LOST",
                   cat("the connection was lost while run ", run.name, " goes on")};
    }
    std::this_thread::sleep_for(kAskEvery);
  }
}

Result<contracts::Run> wait_for_end(client::ControllerClient& client, const RunRef& run,
                                    const Env& env, Millis timeout) {
  const MonoTime deadline = env.clock.mono() + timeout;
  for (;;) {
    ASSIGN_OR_RETURN(contracts::Run current, get_run_patiently(client, run, env));
    if (contracts::is_terminal(current.status.phase)) return current;
    if (timeout.count() > 0 && env.clock.mono() >= deadline) {
      return Error{Code::kDeadlineExceeded, "WAIT_TIMEOUT",
                   cat("run ", run.name, " is still ", wire::enum_name(current.status.phase))};
    }
    std::this_thread::sleep_for(kAskEvery);
  }
}

}  // namespace paddock::cli

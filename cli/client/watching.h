// Commands that only watch a run: Ctrl-C ends the watching and nothing else.
#pragma once

#include <functional>
#include <optional>

#include "cli/client/run_end.h"
#include "cli/options/command_row.h"

namespace paddock::cli {

// The run that NAME names: alone, or as `get -o name` prints it (`run/a`, `run.paddock.dev/a`).
// USAGE if that is another kind.
Result<RunRef> run_ref(const Parsed& parsed);

// Says on stderr, once, that nobody answers and for how long it goes on trying.
void say_when_waiting(client::ControllerClient& client, const Env& env);

// The end of a watch that goes on until some time. If that time is over and no server answers, the
// error is printed and the exit code is that of a timeout: the time has passed, whatever else is
// wrong. Before that, and for any other error: the error.
Result<int> or_timeout(const Error& error, std::optional<MonoTime> until, const Env& env);

// What to watch with; `http` and `client` are ended by Ctrl-C. Both wait for who leads next, or for
// a controller that is being restarted; of `http` an answer other than 2xx is an error.
struct Watcher {
  const http::Endpoint& endpoint;
  client::ControllerClient& client;
  http::Client& http;
};
// Calls `body` and returns its exit code, or 128 + the signal that ended it.
int watch(const Parsed& parsed, const Env& env, const std::function<Result<int>(Watcher&)>& body);

}  // namespace paddock::cli

// Waiting for a run, through lost connections.
#pragma once

#include <functional>

#include "cli/terminal/env.h"
#include "common/client/controller_client.h"

namespace paddock::cli {

struct RunRef {
  std::string name_space;
  std::string name;
};

// The run as it is; tries again while the controller cannot be reached, for at most env.patience.
Result<contracts::Run> get_run_patiently(client::ControllerClient& client, const RunRef& run,
                                         const Env& env);
// Returns once the run is in a terminal phase; `timeout` zero: no limit. DeadlineExceeded,
// WAIT_TIMEOUT.
Result<contracts::Run> wait_for_end(client::ControllerClient& client, const RunRef& run,
                                    const Env& env, Millis timeout);

}  // namespace paddock::cli

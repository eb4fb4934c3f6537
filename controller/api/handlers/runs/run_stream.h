// Follows a run's stored events from one id on. One implementation for SSE and for the text log.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "controller/api/server/bearer.h"
#include "controller/api/server/http.h"
#include "controller/api/server/services.h"

namespace paddock::api {

struct Follow {
  std::string run_uid;
  int64_t after = 0;
  bool follow = true;  // false: ends with what is stored now
};

// Hands on events in order, some at a time. Ends when `take` or `idle` returns false, and after the
// last event of a finished or deleted run. It is broken off, so that nobody takes a part for the
// whole, within a minute of the end of `token`, where the run cannot be read, and when the server
// stops. `idle` is called about every second in which nothing happened.
void follow_run(Services& services, const Follow& follow, HeldToken token, ResponseStream& out,
                const std::function<bool(const std::vector<contracts::RunEvent>&)>& take,
                const std::function<bool()>& idle);

}  // namespace paddock::api

// A run's life as a stream of events (SSE), and its output as text.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// `id: N`, `event: type`, `data: {json}`; a comment each second. Resumes after Last-Event-ID or
// ?after=N. Ends after `end`; a stream that ends without it is incomplete.
Result<Response> run_events(Call& call);
// Standard output and error as they were written; ?follow=true, ?tailLines=N,
// ?sinceSeconds=, ?sinceTime=, ?timestamps=true, ?limitBytes=: as `kubectl logs` asks.
Result<Response> run_log(Call& call);

// One event as SSE text.
std::string sse_frame(const contracts::RunEvent& event);

}  // namespace paddock::api

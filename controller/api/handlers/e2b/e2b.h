// Sessions as E2B's tools use them: the calls of their API below /e2b, those to the inside of a
// sandbox below /e2b/envd. Each asks this API as its caller, with the caller's own token. {ns} is
// the namespace of that token; for one that is good for all it is `default`.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> create_e2b_sandbox(Call& call);
// Where releases before 2.51 ask for one.
Result<Response> create_e2b_sandbox_as_before(Call& call);
Result<Response> list_e2b_sandboxes(Call& call);
Result<Response> get_e2b_sandbox(Call& call);
Result<Response> kill_e2b_sandbox(Call& call);
Result<Response> set_e2b_timeout(Call& call);
Result<Response> pause_e2b_sandbox(Call& call);
Result<Response> connect_e2b_sandbox(Call& call);
// All that is not served: E2B_NOT_SERVED, with what works instead.
Result<Response> refuse_e2b(Call& call);

// 204, or 502 where the sandbox has ended.
Result<Response> check_e2b_health(Call& call);
Result<Response> read_e2b_file(Call& call);
Result<Response> write_e2b_files(Call& call);
// The Connect protocol: refusals are in its own words.
Result<Response> start_e2b_process(Call& call);
Result<Response> call_e2b_service(Call& call);

}  // namespace paddock::api

// Files of a run while it runs, as its node shows them: `paddock files`, `paddock cp`. Once it has
// ended its files are its artifacts.
#pragma once

#include "common/contracts/run.h"
#include "controller/api/server/call.h"

namespace paddock::api {

// The run in the path. RUN_NOT_FOUND.
Result<contracts::Run> stored_run(const Call& call);
// RUN_NOT_RUNNING, and refusals of runs that are no single run.
Status check_running(const contracts::Run& run);
// The run in the path, which runs. The errors of both.
Result<contracts::Run> running_run(const Call& call);

// A folder's names, or a part of a file: the query's `offset` says where it begins, the headers
// `paddock-file-size` and `paddock-file-version` of which file it is.
Result<Response> read_run_file(Call& call);
// A file into the workspace: whole or not at all. BODY_TOO_LARGE over kMostPutBytes.
Result<Response> put_run_file(Call& call);

}  // namespace paddock::api

// Brings a run's artifacts into a folder, several at a time, each verified and never through a
// link.
#pragma once

#include <string>
#include <vector>

#include "cli/client/run_end.h"
#include "cli/terminal/env.h"

namespace paddock::cli {

struct Fetched {
  int64_t files = 0;
  int64_t bytes = 0;
  std::vector<Cause> failed;  // paths that could not be brought, and why
};
// `folder` is created if it is missing. A file that cannot be brought keeps no other one back; a
// controller that cannot be reached any more ends it.
Result<Fetched> fetch_artifacts(const http::Endpoint& endpoint, const RunRef& run,
                                const std::vector<contracts::Artifact>& artifacts,
                                const std::string& folder, const Env& env);

// The files of `artifacts` that were fetched.
std::vector<contracts::Artifact> brought(const std::vector<contracts::Artifact>& artifacts,
                                         const Fetched& fetched);

// ARTIFACTS_NOT_WRITTEN, with a cause per file, if some could not be brought.
Status all_fetched(const Fetched& fetched);

}  // namespace paddock::cli

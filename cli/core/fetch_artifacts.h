// Brings a run's artifacts into a folder, several at a time, each verified and never through a
// link.
#pragma once

#include <string>
#include <vector>

#include "cli/core/env.h"
#include "cli/core/run_end.h"

namespace paddock::cli {

struct Fetched {
  int64_t files = 0;
  int64_t bytes = 0;
};
// `folder` is created if it is missing. The first error ends it; whole files stay.
Result<Fetched> fetch_artifacts(const http::Endpoint& endpoint, const RunRef& run,
                                const std::vector<contracts::Artifact>& artifacts,
                                const std::string& folder, const Env& env);

}  // namespace paddock::cli

// One `paddock run`, `compute` or `build` at work: what its steps share.
#pragma once

#include <string>

#include "cli/client/run_end.h"
#include "cli/options/compute_options.h"
#include "cli/output/phases.h"
#include "cli/terminal/env.h"
#include "common/cas/tree.h"
#include "common/client/controller_client.h"

namespace paddock::cli {

struct Job {
  const ComputeOptions& options;
  const Env& env;
  http::Endpoint endpoint;
  RunRef run;
  std::string workspace;
  Phases& phases;
};

// The files of a folder by their digests. ROOT_NOT_FOUND, PATH_NOT_A_FOLDER, with the whole path.
Result<cas::Scan> scan_project(const std::string& folder, const cas::ScanLimits& limits);
// `left out 25 entries, 3 of them as secrets:`
std::string left_out_title(const cas::Scan& scan);
// The project's files by their digests, and what is left out of them said; none without a folder.
Result<cas::Scan> hash_project(const Job& job, client::ControllerClient& client);
// REQUIREMENTS_NOT_FOUND.
Status check_requirements(const Job& job, const cas::Scan& scan);
// Sends what the controller lacks, unless it would refuse the run that these files are for: then
// its refusal, before they are sent.
Status upload(const Job& job, client::ControllerClient& client, const cas::Scan& scan,
              const contracts::Run& wanted);

}  // namespace paddock::cli

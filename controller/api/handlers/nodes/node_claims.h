// What a node says of its runs, before anything of it is believed: it may name the content that it
// sent for a run and what the run's own trees name, nothing else that happens to be stored.
#pragma once

#include <vector>

#include "common/contracts/sync.h"
#include "controller/api/server/services.h"

namespace paddock::api {

// Whether one of the trees that this run reads names the blob.
Result<bool> run_reads(const Services& services, const contracts::Run& run,
                       const contracts::Digest& digest);

// That each of them is what its node sent for this run, or the run's own. BLOB_NOT_FOUND.
Status check_sent(const Services& services, const contracts::Run& run,
                  const std::vector<contracts::Artifact>& items);

// Changes the outcomes of those reports that will be heard (nodes/report_rules.h), and logs what
// was not believed. OUTPUT_TOO_LARGE; else the store's errors.
Status judge_claims(const Services& services, const std::string& node,
                    contracts::SyncRequest& request);

}  // namespace paddock::api

// Checks what a node reports of its runs before any of it is believed. It may name content that it
// sent for the run, or that the run's own trees name, and nothing else in the store.
#pragma once

#include <vector>

#include "common/contracts/sync.h"
#include "controller/api/server/services.h"

namespace paddock::api {

// Whether one of the trees that this run reads names the blob.
Result<bool> run_reads(const Services& services, const contracts::Run& run,
                       const contracts::Digest& digest);

// Checks that the node sent each of them for this run, or that the run's trees name it.
// BLOB_NOT_FOUND.
Status check_sent(const Services& services, const contracts::Run& run,
                  const std::vector<contracts::Artifact>& items);

// Changes the outcomes of those reports that will be heard (nodes/report_rules.h), and logs what
// was not believed. OUTPUT_TOO_LARGE; else the store's errors.
Status judge_claims(const Services& services, const std::string& node,
                    contracts::SyncRequest& request);

}  // namespace paddock::api

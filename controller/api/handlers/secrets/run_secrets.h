// The values that a run gets from the Secrets of its namespace. They are checked when the run is
// created, and opened for its node just before the run is launched.
#pragma once

#include <string>
#include <vector>

#include "controller/api/server/call.h"
#include "controller/secrets/vault.h"

namespace paddock::api {

// One value that a run gets.
struct WantedValue {
  size_t use = 0;  // of spec.secrets
  secrets::Place place;
  std::string key;
  contracts::RunSecret as;  // without the value
};

// SECRET_NOT_FOUND, SECRET_VALUE_NOT_FOUND, SECRET_VALUE_UNCLEAR, SECRET_TOO_LARGE, each with its
// field.
Result<std::vector<WantedValue>> wanted_values(store::ReadTxn& txn, const contracts::Run& run);

// POST nodes/{node}/runs/{uid}/secrets: for the node that has the run. STALE_ATTEMPT.
Result<Response> node_run_secrets(Call& call);

}  // namespace paddock::api

// The audit log's chain in the store: where it stands, what was forgotten before it, and the links
// of records that were written when there were none yet.
#pragma once

#include <string>

#include "common/contracts/audit_chain.h"
#include "controller/store/sql/connection.h"

namespace paddock::store::sql {

// The number of the next record, and the link of the one before it.
struct NextLink {
  int64_t id = 0;
  std::string before;
};
Result<NextLink> next_link(Connection& db);

// The newest record that was forgotten. A text that is none is given as a place that nothing
// follows: verifying finds it, and the log goes on.
Result<contracts::ChainPlace> audit_anchor(Connection& db);
Status put_audit_anchor(Connection& db, const contracts::ChainPlace& anchor);
// The newest record, or the anchor.
Result<contracts::ChainPlace> audit_head(Connection& db);

// Links all records of a store that had no chain, so that from now on changing one is noticed.
Status chain_records(Connection& db);

}  // namespace paddock::store::sql

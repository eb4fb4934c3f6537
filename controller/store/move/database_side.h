// A move's end at PostgreSQL: one transaction, from the first look to COMMIT.
#pragma once

#include <memory>
#include <string>

#include "common/base/result.h"
#include "controller/store/move/copy.h"
#include "controller/store/postgres/connection.h"
#include "controller/store/store.h"

namespace paddock::store::move {

using Database = std::unique_ptr<postgres::Connection>;

// Connects and begins, as the move of this id; all that is read is one snapshot.
Result<Database> begin_at(const PostgresOptions& options, const std::string& id);
// If this fails, nothing was committed, except perhaps with STORE_OUTCOME_UNKNOWN.
Status commit(postgres::Connection& db);

// Makes our tables in the target. STORE_NOT_EMPTY.
Status make_tables(postgres::Connection& db);
Status put_given(postgres::Connection& db, const Given& given);
// Names this instance as the last leader, with a lease that has ended: another controller then
// compares its files with these tokens before it leads, and does not take the store for a new one.
Status name_holder(postgres::Connection& db, const PostgresOptions& options);
// The store that this move brought.
Status mark_brought(postgres::Connection& db, const std::string& id);

// Checks that the source is ours and of our schema, and holds it so that nobody leads it until this
// transaction ends.
Status hold_source(postgres::Connection& db, const PostgresOptions& options);
// Marks the source as moved: no controller uses it from then on (STORE_MOVED_AWAY, which says where
// it went).
Status mark_taken(postgres::Connection& db, const std::string& id, const std::string& place);

// Whether the move of this id was committed. Ends a session of it that is left over and waits for
// its transaction; STORE_AWAY, STORE_BUSY: not known, ask again.
Result<bool> has_brought(const PostgresOptions& options, const std::string& id);
Result<bool> has_taken(const PostgresOptions& options, const std::string& id);

}  // namespace paddock::store::move

// Who may write: the row of `paddock_leader`, with an epoch that grows by one with each leader and
// a lease on the database's own clock. Every transaction that writes changes this row first, where
// it still has the epoch and the holder: so a leader that was paused, cut off or slow writes
// nothing once another one has taken over, and the other one waits until what the former had begun
// has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/store/postgres/connection.h"
#include "controller/store/store.h"

namespace paddock::store::postgres {

struct Leadership {
  int64_t epoch = 0;
  int64_t batch = 0;  // the last one that was committed
  MonoTime asked;     // the lease lasts from then on at least
};

// In SQL, from the leader's row: how much longer its lease lasts by the database's clock, at most a
// day.
inline constexpr const char* kLeftMs =
    "greatest(0, least(86400000, extract(epoch FROM lease_until - clock_timestamp()) * "
    "1000))::bigint";

// In SQL, for the SELECT of a transaction that writes: a database that answers before its log is on
// the disk is told to wait for the disk, because what was acknowledged must be kept.
inline constexpr const char* kWaitsForDisk =
    "set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN "
    "'on' ELSE current_setting('synchronous_commit') END, true)";

// The name of a session that looks at that row, and is no leader's.
inline constexpr const char* kLookingName = "paddock-controller looking";

// The names by which a leader's database sessions are found at the server: the one that writes, and
// those that read.
std::string session_name(int64_t epoch);
std::string readers_name(int64_t epoch);

// Prepares the tables and takes the lead. STORE_LOCKED while another holder's lease lives;
// STORE_BUSY when what the former leader had begun does not end; as prepare_schema().
Result<Leadership> take_lead(const Target& target, const PostgresOptions& options);

// Ends the sessions of this name that are left: one in the middle of a transaction would hold its
// rows.
Status end_sessions(Connection& db, const std::string& name);

// Whether this epoch's batch was committed by this holder. Waits for a transaction that may still
// be at it and for synchronous replicas, and ends sessions of this epoch that are left over.
// STORE_AWAY, STORE_BUSY: ask again.
Result<bool> was_committed(const Target& target, const Leadership& batch,
                           const std::string& holder);

// Within a transaction: until it ends nobody takes the lead, and who has it writes nothing.
// STORE_LOCKED while another holder's lease lives; STORE_BUSY.
Status hold_lead(Connection& db, const PostgresOptions& options);

// Lets others lead at once.
Status give_up_lead(Connection& db, int64_t epoch, const std::string& holder);

}  // namespace paddock::store::postgres

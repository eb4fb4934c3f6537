// Decides how long a session lives, and writes its end. The times are in the store, so that neither
// a restart of the controller nor of a node moves them.
#pragma once

#include <string>

#include "common/base/reason.h"
#include "common/contracts/audit.h"
#include "common/contracts/sandbox.h"
#include "controller/store/store.h"

namespace paddock::sessions {

// The reason of the end of one that was deleted and that a finalizer keeps.
inline constexpr Reason kDeleted = "DELETED";
// How long the record of an ended session is kept, so that its outcome can be read.
inline constexpr Millis kKeptAfterEnd = std::chrono::hours(1);

// The next time at which the session may have to end, after a use at `now` that may take `busy`.
WallTime due_after(const contracts::Sandbox& session, WallTime now, Millis busy = Millis(0));
// SESSION_ENDED (Gone): the answer to whoever uses a session that ended for `reason`.
Error ended_error(const Reason& reason);
// That error if the session has ended.
Status check_lives(const contracts::Sandbox& session);
// SESSION_SUSPENDED (Conflict) of one that takes no command and no change of a file.
Status check_not_suspended(const contracts::Sandbox& session);

// Its node has made it: a pending one is ready from now on.
Status note_ready(store::WriteTxn& txn, contracts::Sandbox& session, WallTime now);
// A use: moves the idle deadline.
Status note_use(store::WriteTxn& txn, const contracts::Sandbox& session, WallTime now,
                Millis busy = Millis(0));
// Ends a session: from then on it cannot be used, and its node removes it.
Status close(store::WriteTxn& txn, contracts::Sandbox& session, Reason reason, WallTime now);
// The same where no caller asked for it; records `sandbox.destroy`.
Status end(store::WriteTxn& txn, contracts::Sandbox session, Reason reason, WallTime now);
// For a session whose time has come: ends it, or removes its record if it has ended. One that
// cannot be read is looked at again after a while.
Status sweep(store::WriteTxn& txn, const store::DueSession& due, WallTime now);

// An audit event with who, where and which command filled in; see runs::end_events().
contracts::AuditEvent command_event(const contracts::Sandbox& session,
                                    const std::string& command_id, WallTime now);

}  // namespace paddock::sessions

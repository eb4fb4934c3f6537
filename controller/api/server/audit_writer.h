// How handlers and the pipeline write audit events: what callers did, and what they were refused.
// Which types there are: common/contracts/audit.h. Each handler records what it does itself; what
// becomes of a run's commands is recorded by controller/runs/audit_events.h.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "controller/api/server/call.h"

namespace paddock::api {

contracts::AuditEvent event_of(const Call& call, std::string_view type, std::string_view plural,
                               const contracts::ObjectMeta& meta,
                               std::map<std::string, std::string> details = {},
                               std::string_view reason = {});
// Writes the event in the caller's transaction, so that it is there if and only if the change is.
Status record(store::WriteTxn& txn, const Call& call, std::string_view type,
              std::string_view plural, const contracts::ObjectMeta& meta,
              std::map<std::string, std::string> details = {}, std::string_view reason = {});
// Records that a known caller may not do this. Callers without a valid token are only counted and
// logged, since anybody could fill the audit log with them.
Status record_denial(Services& services, const auth::Principal& principal, const Request& request,
                     const Error& error, const std::string& request_id);

}  // namespace paddock::api

#include "controller/api/server/audit_writer.h"

#include "common/base/text.h"
#include "controller/api/server/denial_rate_limiter.h"

namespace paddock::api {
namespace {

using contracts::AuditEvent;

AuditEvent begin_event(const auth::Principal& principal, std::string_view type, WallTime now,
                       const std::string& request_id) {
  AuditEvent event;
  event.time = {now};
  event.type = type;
  event.subject = principal.subject;
  event.request_id = request_id;
  if (!principal.token_id.empty()) event.details["token"] = principal.token_id;
  return event;
}

// A run can have many tool tokens, and make more: all of them are one caller.
std::string caller_of(const auth::Principal& principal) {
  return principal.tool ? cat("run:", principal.tool->run_uid) : principal.subject;
}

}  // namespace

AuditEvent event_of(const Call& call, std::string_view type, std::string_view plural,
                    const contracts::ObjectMeta& meta, std::map<std::string, std::string> details,
                    std::string_view reason) {
  AuditEvent event = begin_event(call.principal, type, call.now(), call.request_id);
  event.name_space = meta.name_space;
  event.object = cat(plural, "/", meta.name);
  event.reason = reason;
  if (plural == "runs" || plural == "sandboxes") event.session_id = meta.uid;
  event.details.merge(details);
  return event;
}

Status record(store::WriteTxn& txn, const Call& call, std::string_view type,
              std::string_view plural, const contracts::ObjectMeta& meta,
              std::map<std::string, std::string> details, std::string_view reason) {
  AuditEvent event = event_of(call, type, plural, meta, std::move(details), reason);
  return txn.append_audit(event);
}

Status record_denial(Services& services, const auth::Principal& principal, const Request& request,
                     const Error& error, const std::string& request_id) {
  if (error.code != Code::kPermissionDenied || principal.token_id.empty()) return {};
  const std::optional<int64_t> left_out =
      services.denials->take(caller_of(principal), services.clock.mono());
  if (!left_out) return {};
  AuditEvent event =
      begin_event(principal, contracts::audit::kAccessDenied, services.clock.wall(), request_id);
  event.name_space = principal.name_space;
  event.reason = error.reason;
  event.details["method"] = contracts::audit_text(request.method);
  event.details["path"] = contracts::audit_text(request.path);
  if (*left_out > 0) event.details["leftOut"] = std::to_string(*left_out);
  return services.store.write([&](store::WriteTxn& txn) { return txn.append_audit(event); });
}

}  // namespace paddock::api

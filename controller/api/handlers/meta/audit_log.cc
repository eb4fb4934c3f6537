#include "controller/api/handlers/meta/audit_log.h"

#include "controller/api/server/documents.h"
#include "controller/api/server/write_behind_queue.h"

namespace paddock::api {
namespace {

constexpr int64_t kDefaultLimit = 500;
constexpr int64_t kMostAtOnce = 5000;

Result<int64_t> since_of(const Call& call) {
  const std::optional<std::string> text = call.request.parameter("since");
  if (!text) return 0;
  const std::optional<WallTime> time = parse_time(*text);
  if (time) return time->ms;
  return invalid_argument("PARAMETER_INVALID", "since is a time such as 2026-01-02T03:04:05Z",
                          "since");
}

Result<store::AuditQuery> audit_query(const Call& call) {
  store::AuditQuery query;
  query.name_space = call.request.parameter("namespace");
  if (!call.param("ns").empty()) query.name_space = call.param("ns");
  query.type = call.request.parameter("type").value_or("");
  if (!query.type.empty()) TRY(contracts::check_audit_type(query.type));
  query.subject = call.request.parameter("subject").value_or("");
  query.session_id = call.request.parameter("session").value_or("");
  ASSIGN_OR_RETURN(query.since_ms, since_of(call));
  ASSIGN_OR_RETURN(query.after, integer_parameter(call.request, "after", 0, INT64_MAX));
  ASSIGN_OR_RETURN(const auto limit, integer_parameter(call.request, "limit", 1, kMostAtOnce));
  query.limit = limit.value_or(kDefaultLimit);
  return query;
}

}  // namespace

Result<Response> list_audit(Call& call) {
  ASSIGN_OR_RETURN(const store::AuditQuery query, audit_query(call));
  // Writes events that still wait for the store, so that the list has those of every request that
  // was answered before. If the store takes no writes, the list shows what is in it.
  (void)call.services.later->settle(call.services.store);
  contracts::AuditList list;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(list.items, txn.audit_events(query));
    return {};
  }));
  list.last = list.items.empty() ? query.after.value_or(0) : list.items.back().id;
  return object_response(list);
}

}  // namespace paddock::api

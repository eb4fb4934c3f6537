#include "controller/api/handlers/calls/execute_record.h"

#include "common/crypto/digest.h"
#include "controller/api/metrics/metrics.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/runs/audit_events.h"
#include "controller/runs/measures.h"

namespace paddock::api {

using contracts::AuditEvent;
using contracts::SnippetReport;

ExecuteRecord::ExecuteRecord(Call& call, std::string_view code)
    : call_(call),
      arrived_(call.services.clock.mono()),
      digest_(crypto::sha256_hex(code)),
      code_bytes_(code.size()) {}

Status ExecuteRecord::check() const { return call_.services.later->check(call_.services.store); }

AuditEvent ExecuteRecord::event(Reason reason) const {
  AuditEvent out;
  out.time = {call_.now()};
  out.type = contracts::audit::kExecuteRequest;
  out.subject = call_.principal.subject;
  out.name_space = call_.principal.name_space;
  out.request_id = call_.request_id;
  out.reason = reason;
  if (!call_.principal.token_id.empty()) out.details["token"] = call_.principal.token_id;
  return out;
}

Status ExecuteRecord::write(std::vector<AuditEvent> events) const {
  AuditEvent& end = events.back();
  end.details["codeSha256"] = digest_;
  end.details["codeBytes"] = std::to_string(code_bytes_);
  end.details["durationMs"] = std::to_string(took().count());
  if (!node.empty()) end.details["node"] = node;
  TRY(call_.services.later->add(call_.services.store, WriteBehindQueue::audit(std::move(events))));
  return {};
}

Status ExecuteRecord::end(const SnippetReport& report) {
  ExecuteMetrics& metrics = call_.services.metrics.execute;
  metrics.count(outcome_of(report));
  if (!report.result) {
    AuditEvent refused = event("REFUSED");
    if (const std::string* why = report.answer.error.string())
      refused.details["message"] = contracts::audit_text(*why);
    return write({std::move(refused)});
  }
  metrics.count_run(report.warm, took());
  call_.services.metrics.runs.count_denials(runs::denial_counts(*report.result));
  // The same events as of any command: first what its sandbox denied, then its end.
  auto events = runs::end_events(event({}), *report.result);
  events.back().type = contracts::audit::kExecuteRequest;
  events.back().details.merge(event({}).details);
  events.back().details["start"] = report.warm ? "warm" : "cold";
  return write(std::move(events));
}

Status ExecuteRecord::end(const Error& error) {
  call_.services.metrics.execute.count(outcome_of(error));
  return write({event(error.reason)});
}

}  // namespace paddock::api

#include "controller/api/server/conclusion.h"

#include <utility>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/api/metrics/metrics.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/host_faults.h"
#include "controller/api/server/kubernetes_words.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/http_server/refusal.h"
#include "controller/k8s/status.h"
#include "controller/store/follow.h"

namespace paddock::api {
namespace {

// A line of the access log, written at its end: whoever waits for the answer goes first.
class AccessLine {
 public:
  AccessLine(const Request& request, Trace trace, int status, Millis took)
      : method_(request.method),
        path_(request.path),
        trace_(std::move(trace)),
        status_(status),
        took_(took) {}
  AccessLine(const AccessLine&) = delete;
  AccessLine& operator=(const AccessLine&) = delete;
  ~AccessLine() {
    log_info("request", {{"request", trace_.id},
                         {"subject", trace_.principal.subject},
                         {"method", method_},
                         {"path", path_},
                         {"status", std::to_string(status_)},
                         {"ms", std::to_string(took_.count())},
                         {"reason", trace_.reason}});
  }

 private:
  std::string method_;
  std::string path_;
  Trace trace_;
  int status_;
  Millis took_;
};

// Once the answer is sent, what was put off for it is seen to, and what it holds is let go of.
class AfterAnswer {
 public:
  AfterAnswer(std::shared_ptr<WriteBehindQueue> later, std::shared_ptr<void> held)
      : later_(std::move(later)), held_(std::move(held)) {}
  AfterAnswer(const AfterAnswer&) = delete;
  AfterAnswer& operator=(const AfterAnswer&) = delete;
  ~AfterAnswer() { later_->wake(); }

 private:
  std::shared_ptr<WriteBehindQueue> later_;
  std::shared_ptr<void> held_;
};

bool is_denial(const Error& error) {
  return error.code == Code::kUnauthenticated || error.code == Code::kPermissionDenied;
}

// Whether a controller that follows has to leave this error to the leader, which records refusals,
// keeps credentials and shares, and may reach what this one cannot.
bool is_for_leader(const Error& error) {
  return is_denial(error) || error.code == Code::kUnavailable ||
         error.code == Code::kResourceExhausted || error.code == Code::kInternal;
}

// Whether doing it again elsewhere may do it twice. What agents report they report again and again.
bool acts_each_time(const Request& request, const Trace& trace) {
  const bool acts = request.method == "POST" || request.method == "PATCH";
  return acts && trace.begun && trace.route->scope != auth::Scope::kNodeSelf;
}

// NOT_LEADER says that nothing was done, so that clients ask the next controller whatever it was.
// For a request that was begun while this one led, that is not known. If it can be repeated safely,
// the answer is NOT_LEADER all the same.
Error left_unfinished() {
  return {Code::kUnavailable, "STORE_AWAY",
          "the database does not confirm any more that this controller leads, and what was left of "
          "this was not done; send it again, or look first where it must not be done twice"};
}

void tell_of_denial(Services& services, const Request& request, const Error& error,
                    const Trace& trace) {
  services.metrics.count_denial();
  log_warn("denied", {{"request", trace.id},
                      {"subject", trace.principal.subject},
                      {"method", request.method},
                      {"path", request.path},
                      {"reason", error.reason}});
}

void tell_of_failure(const Error& error, const Trace& trace) {
  log_error("request failed",
            {{"request", trace.id}, {"reason", error.reason}, {"error", error.describe()}});
}

// Answers NOT_LEADER in place of the error, and logs the error here, since the caller need not
// repeat the request to the leader. The audit log is not written: only the leader may.
Error left_to_leader(Services& services, const Request& request, const Error& error,
                     const Trace& trace) {
  if (is_denial(error)) tell_of_denial(services, request, error, trace);
  if (error.code == Code::kInternal) tell_of_failure(error, trace);
  return store::not_leader();
}

Response answer_error(Services& services, const Request& request, const Error& error,
                      const Trace& trace) {
  const Error told = in_kubernetes_words(error, request);
  Response response = http_server::refusal(told);
  wire::Value document = http_server::refusal_document(told);
  k8s::add_details(document, request.segments, trace.sent);
  response.body = wire::to_json(document);
  if (error.reason == "METHOD_NOT_ALLOWED" && !error.context.empty())
    response.headers.emplace_back("allow", error.context[0]);
  if (error.code == Code::kUnauthenticated)
    response.headers.emplace_back("www-authenticate", "Bearer");
  if (is_denial(error)) {
    tell_of_denial(services, request, error, trace);
    const Status recorded = record_denial(services, trace.principal, request, error, trace.id);
    if (!recorded.ok())
      log_error("the audit log could not be written", {{"error", recorded.error().describe()}});
  } else if (response.status >= 500 && !services.follows) {
    tell_of_failure(error, trace);
  }
  return response;
}

// Internal errors are for our log; the client learns that it was us, and the request's id.
Error without_details(Error error, const std::string& request_id) {
  if (error.code != Code::kInternal) return error;
  return {Code::kInternal, error.reason,
          cat("the server failed; its log has more at request ", request_id)};
}

// Counts a streaming answer until its end, and holds its place.
class OpenStream {
 public:
  OpenStream(Metrics& metrics, std::shared_ptr<void> place)
      : metrics_(metrics), place_(std::move(place)) {
    ++metrics_.streams;
  }
  OpenStream(const OpenStream&) = delete;
  OpenStream& operator=(const OpenStream&) = delete;
  ~OpenStream() { --metrics_.streams; }

 private:
  Metrics& metrics_;
  std::shared_ptr<void> place_;
};

}  // namespace

Response conclude(Passage& passage, const Request& request, Result<Response> result) {
  Services& services = passage.services;
  Trace& trace = passage.trace;
  if (!result) result = as_passing(result.error());
  if (!result && is_one_of(result.error().reason, {"NOT_LEADER", "STORE_FENCED"}) &&
      acts_each_time(request, trace))
    result = left_unfinished();
  if (!result) trace.reason = result.error().reason;
  if (!result && services.follows && is_for_leader(result.error()))
    result = left_to_leader(services, request, result.error(), trace);
  Response response;
  if (result) {
    response = std::move(*result);
  } else {
    response = answer_error(services, request, result.error(), trace);
    if (result.error().code == Code::kInternal)
      response.body = http_server::refusal(without_details(result.error(), trace.id)).body;
  }
  services.metrics.count_answer(response.status);
  services.metrics.http.count(trace.route != nullptr ? trace.route->method : "none",
                              trace.route != nullptr ? trace.route->pattern : "none",
                              response.status, passage.stopwatch.elapsed());
  response.headers.emplace_back("x-request-id", trace.id);
  std::shared_ptr<void> held = trace.place;
  auto line = std::make_shared<AccessLine>(request, std::move(trace), response.status,
                                           services.clock.mono() - passage.started);
  // A stream may take for ever: it is told of when it begins. An inner one is written into one that
  // counts.
  if (!is_stream(response)) {
    held = std::move(line);
  } else if (!request.inner) {
    held = std::make_shared<OpenStream>(services.metrics, std::move(held));
  }
  line.reset();
  response.held = std::make_shared<AfterAnswer>(services.later, std::move(held));
  return response;
}

}  // namespace paddock::api

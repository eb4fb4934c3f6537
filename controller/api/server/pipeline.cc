#include "controller/api/server/pipeline.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/denial_codes.h"
#include "common/crypto/digest.h"
#include "common/wire/json.h"
#include "controller/api/metrics/metrics.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/authenticate.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/host_faults.h"
#include "controller/api/server/open_requests.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/auth/tool_token.h"
#include "controller/http_server/refusal.h"
#include "controller/k8s/protobuf.h"
#include "controller/k8s/status.h"
#include "controller/store/follow.h"

namespace paddock::api {
namespace {

// What the access log knows once a request is done.
struct Trace {
  std::string id;
  auth::Principal principal = auth::anonymous();
  std::string reason;  // of a refusal
  std::string sent;    // the name of the object in the body
  const Route* route = nullptr;
  std::shared_ptr<OpenRequests::Permit> place;
};

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

bool is_endless(const Response& response) {
  return is_stream(response) && std::ranges::none_of(response.headers, [](const auto& header) {
           return header.first == "content-length";
         });
}

Status read_body(const Route& route, Call& call) {
  const bool document =
      route.body.kind == BodyKind::kDocument || route.body.kind == BodyKind::kReview;
  if (!document || call.request.body == nullptr) return {};
  ASSIGN_OR_RETURN(const std::string bytes, call.request.body->read(route.body.limit));
  call.body_hash = crypto::sha256_hex(bytes);
  if (bytes.empty() && route.body.optional) return {};
  const std::string type = call.request.header("content-type");
  if (route.body.kind == BodyKind::kReview && type == "application/vnd.kubernetes.protobuf") {
    ASSIGN_OR_RETURN(call.body, k8s::decode_review(bytes));
    return {};
  }
  const bool patch = std::string_view(route.method) == "PATCH";
  ASSIGN_OR_RETURN(call.body, patch ? parse_patch(type, bytes, route.body.limit)
                                    : parse_document(type, bytes, route.body.limit));
  return {};
}

// A tool token opens the routes of its run and no other, and not those of a later run of that name.
Status authorize_tool(const Route& route, const Call& call) {
  auth::ToolTarget target{call.param("ns"), call.param("name"), {}};
  if (route.tool == contracts::kReadProject)
    target.project = std::exchange(target.run, call.principal.tool->run);
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto run, txn.find<contracts::Run>({target.name_space, target.run}));
    if (!run) return {};
    target.run_uid = run->metadata.uid;
    target.run_project = run->spec.workspace;
    return {};
  }));
  return auth::authorize_tool(*call.principal.tool, route.tool, target);
}

// By a run's gateway nobody is looked up who is not the holder of a tool token.
Result<auth::Principal> caller_of(const Route& route, Services& services, const Request& request) {
  const bool gateway = !request.gateway_run.empty();
  if (gateway) {
    ASSIGN_OR_RETURN(const std::string secret, secret_of(request));
    TRY(auth::check_gateway(route.tool, secret));
  }
  // Health answers even while the store is broken.
  if (route.scope == auth::Scope::kPublic) return auth::anonymous();
  ASSIGN_OR_RETURN(auth::Principal out,
                   principal_of(request, services.store, services.clock.wall()));
  if (gateway) TRY(auth::check_gateway_run(out, request.gateway_run));
  return out;
}

Status authorize(const Route& route, const Call& call) {
  if (call.principal.token_id.empty() && route.tool == contracts::kGenerateMedia) {
    return Error{Code::kUnauthenticated, contracts::kToolTokenMissing,
                 "a tool token of the run is needed (Authorization: Bearer pdtt_…)"};
  }
  if (call.principal.tool && route.scope != auth::Scope::kPublic)
    return authorize_tool(route, call);
  return auth::authorize(call.principal, route.scope, call.param("ns"), call.param("node"));
}

// E2B's tools know no namespace: it is that of the token, or for one that is good for all
// `default`.
void choose_namespace(Call& call) {
  if (call.request.segments.empty() || call.request.segments[0] != kE2bPrefix) return;
  const std::string& own = call.principal.name_space;
  call.params["ns"] = own.empty() ? "default" : own;
}

Status check_dry_run(const Route& route, const Call& call) {
  const bool changes_nothing = route.tries || std::string_view(route.method) == "GET";
  return changes_nothing ? Status() : refuse_dry_run(call.request, call.body);
}

Result<Response> run_call(const Router& router, Services& services, Request& request,
                          Result<Router::Match> found, Trace& trace) {
  ASSIGN_OR_RETURN(Router::Match match, std::move(found));
  const Route& route = *match.route;
  trace.route = match.route;
  Call call{services, request,  std::move(match.params),       {}, {},
            {},       trace.id, make_handler(router, services)};
  ASSIGN_OR_RETURN(call.principal, caller_of(route, services, request));
  trace.principal = call.principal;
  choose_namespace(call);
  TRY(authorize(route, call));
  if (route.scope != auth::Scope::kPublic && !request.inner) {
    ASSIGN_OR_RETURN(trace.place, services.open_requests->enter(call.principal));
  }
  TRY(settle_credential(call));
  TRY(read_body(route, call));
  TRY(check_dry_run(route, call));
  if (std::string name = call.body.text("metadata.name"); name.size() <= 253)
    trace.sent = std::move(name);
  ASSIGN_OR_RETURN(Response response, route.endpoint(call));
  // Of the routes that need no token only previews take long. All callers without a token together
  // count as one holder.
  if (route.scope == auth::Scope::kPublic && !request.inner && is_stream(response)) {
    ASSIGN_OR_RETURN(trace.place, services.open_requests->enter(call.principal));
  }
  if (trace.place != nullptr && is_endless(response)) TRY(trace.place->make_endless());
  return response;
}

bool is_denial(const Error& error) {
  return error.code == Code::kUnauthenticated || error.code == Code::kPermissionDenied;
}

// Of a controller that follows: whether the leader has to say it: it records refusals, keeps
// credentials and shares, and may reach what this one cannot.
bool is_for_leader(const Error& error) {
  return is_denial(error) || error.code == Code::kUnavailable ||
         error.code == Code::kResourceExhausted || error.code == Code::kInternal;
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

// Whoever asked need not ask the leader: what happened here is told of here, though not in the
// audit log, which the leader alone writes.
Error left_to_leader(Services& services, const Request& request, const Error& error,
                     const Trace& trace) {
  if (is_denial(error)) tell_of_denial(services, request, error, trace);
  if (error.code == Code::kInternal) tell_of_failure(error, trace);
  return store::not_leader();
}

Response answer_error(Services& services, const Request& request, const Error& error,
                      const Trace& trace) {
  Response response = http_server::refusal(error);
  wire::Value document = http_server::refusal_document(error);
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

// What the answer to a request is counted and told of by.
struct Passage {
  Services& services;
  MonoTime started;
  Stopwatch stopwatch = {};
  Trace trace = {};
};

Response conclude(Passage& passage, const Request& request, Result<Response> result) {
  Services& services = passage.services;
  Trace& trace = passage.trace;
  if (!result) result = as_passing(result.error());
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

// What is told of a request after its call.
Request outline_of(const Request& request) {
  Request out;
  out.method = request.method;
  out.path = request.path;
  out.segments = request.segments;
  out.inner = request.inner;
  return out;
}

// An answer of a handler's that comes later, with what belongs to every answer.
class HeldCall final : public HeldAnswer {
 public:
  HeldCall(Passage passage, const Request& request, std::shared_ptr<HeldAnswer> answer)
      : passage_(std::move(passage)), request_(outline_of(request)), answer_(std::move(answer)) {}
  std::optional<Millis> wait(const std::shared_ptr<Bell>& bell) override {
    return answer_->wait(bell);
  }
  bool settle() override { return answer_->settle(); }
  Result<Response> make() override { return conclude(passage_, request_, answer_->make()); }

 private:
  Passage passage_;
  const Request request_;
  const std::shared_ptr<HeldAnswer> answer_;
};

// Whether a controller that follows can answer it. The leader may be of a later version, and know
// routes that this one does not.
bool is_of_store_alone(const Result<Router::Match>& found) {
  return found.ok() && found->route->stored;
}

Response handle(const Router& router, Services& services, Request& request) {
  auto found = router.find(request.method, request.segments);
  if (services.follows && !is_of_store_alone(found))
    return http_server::refusal(store::not_leader());
  Passage passage{services, services.clock.mono()};
  passage.trace.id = make_suffix(services.random, 12);
  Result<Response> result = run_call(router, services, request, std::move(found), passage.trace);
  if (!result.ok() || !result->later) return conclude(passage, request, std::move(result));
  Response held;
  held.later = std::make_shared<HeldCall>(std::move(passage), request, std::move(result->later));
  return held;
}

}  // namespace

Handler make_handler(const Router& router, Services& services) {
  return [&router, &services](Request& request) { return handle(router, services, request); };
}

}  // namespace paddock::api

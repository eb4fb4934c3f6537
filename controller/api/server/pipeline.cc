#include "controller/api/server/pipeline.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "controller/api/server/authenticate.h"
#include "controller/api/server/conclusion.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/open_requests.h"
#include "controller/auth/denial_codes.h"
#include "controller/auth/tool_token.h"
#include "controller/http_server/refusal.h"
#include "controller/k8s/protobuf.h"
#include "controller/store/follow.h"

namespace paddock::api {
namespace {

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

// Through a run's gateway, only the secret of a tool token is looked up at all.
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
    return Error{Code::kUnauthenticated, auth::kToolTokenMissing,
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
  trace.begun = true;
  ASSIGN_OR_RETURN(Response response, route.endpoint(call));
  // Among the routes that need no token, only previews take long. All callers without a token count
  // together as one holder.
  if (route.scope == auth::Scope::kPublic && !request.inner && is_stream(response)) {
    ASSIGN_OR_RETURN(trace.place, services.open_requests->enter(call.principal));
  }
  if (trace.place != nullptr && is_endless(response)) TRY(trace.place->make_endless());
  return response;
}

// The part of a request that is logged after its call.
Request outline_of(const Request& request) {
  Request out;
  out.method = request.method;
  out.path = request.path;
  out.segments = request.segments;
  if (std::string agent = request.header("user-agent"); !agent.empty())
    out.headers["user-agent"] = std::move(agent);
  out.inner = request.inner;
  return out;
}

// An answer of a handler's that comes later, with what belongs to every answer.
class HeldCall final : public HeldAnswer {
 public:
  HeldCall(Passage passage, const Request& request, std::shared_ptr<HeldAnswer> answer)
      : passage_(std::move(passage)), request_(outline_of(request)), answer_(std::move(answer)) {}
  std::optional<Millis> wait(const std::shared_ptr<Waker>& waker) override {
    return answer_->wait(waker);
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

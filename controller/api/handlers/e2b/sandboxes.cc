#include "controller/e2b/sandboxes.h"

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/api/handlers/e2b/e2b.h"
#include "controller/api/handlers/e2b/inside.h"
#include "controller/api/server/authenticate.h"
#include "controller/api/server/documents.h"
#include "controller/e2b/fields.h"

namespace paddock::api {
namespace {

using contracts::Sandbox;
using wire::Value;

constexpr int64_t kPage = 100;
constexpr const char* kWhatWorks =
    "is not served here: served are Sandbox.create, connect, list, kill, getInfo, setTimeout, "
    "pause and isRunning, commands.run with its kill, and files.read, write, list, exists, "
    "getInfo, makeDir, rename and remove (docs/e2b.md)";

// The access token in the answer is the caller's own token, so access ends when that token does.
Result<Response> access_to(const Call& call, const Sandbox& session, int status) {
  ASSIGN_OR_RETURN(const std::string secret, secret_of(call.request));
  Response response = json_response(e2b::sandbox_access(session, secret), status);
  response.headers.emplace_back("cache-control", "no-store");
  return response;
}

Result<Sandbox> with_timeout(const E2bSandbox& sandbox, const Sandbox& session, Millis timeout) {
  ASSIGN_OR_RETURN(const Millis lifetime,
                   e2b::lifetime_until(session, sandbox.call().now(), timeout));
  return sandbox.patch(Value::Object{{"lifetime", format_duration(lifetime)}});
}

Response nothing() {
  Response response;
  response.status = 204;
  return response;
}

}  // namespace

Result<Response> create_e2b_sandbox(Call& call) {
  Services& services = call.services;
  const e2b::Offer offer{services.images, services.profiles, services.ceilings};
  ASSIGN_OR_RETURN(
      const Sandbox wanted,
      e2b::new_session(call.body, offer, cat("e2b-", make_suffix(services.random, 16))));
  OwnRequest request = E2bSandbox::collection(call, "POST");
  Value document = wire::encode(wanted);
  document.erase("status");
  request.body = wire::to_json(document);
  request.headers["content-type"] = "application/json";
  const Response answer = ask_itself(call, std::move(request));
  TRY(refusal_in(answer));
  ASSIGN_OR_RETURN(const Sandbox made, read_session(answer));
  return access_to(call, made, 201);
}

Result<Response> create_e2b_sandbox_as_before(Call& call) {
  e2b::forget_default_internet(call.body);
  return create_e2b_sandbox(call);
}

Result<Response> list_e2b_sandboxes(Call& call) {
  const Request& request = call.request;
  ASSIGN_OR_RETURN(const e2b::Filter filter,
                   e2b::filter_of([&](std::string_view name) { return request.parameter(name); }));
  ASSIGN_OR_RETURN(const auto limit, integer_parameter(request, "limit", 1, kPage));
  OwnRequest wanted = E2bSandbox::collection(call, "GET");
  wanted.query = {{"fieldSelector", "status.phase!=Ended"},
                  {"limit", std::to_string(limit.value_or(kPage))}};
  if (auto next = request.parameter("nextToken")) wanted.query.emplace_back("continue", *next);
  const Response answer = ask_itself(call, std::move(wanted));
  TRY(refusal_in(answer));
  ASSIGN_OR_RETURN(const Value page, wire::parse_json(answer.body));
  Value out = Value::Array{};
  if (const Value* items = page.find("items"); items != nullptr && items->array() != nullptr) {
    for (const Value& item : *items->array()) {
      ASSIGN_OR_RETURN(const Sandbox session, wire::decode<Sandbox>(item));
      if (e2b::fits(session, filter)) out.push_back(e2b::sandbox_info(session));
    }
  }
  Response response = json_response(out);
  if (std::string next = page.text("metadata.continue"); !next.empty())
    response.headers.emplace_back("x-next-token", std::move(next));
  return response;
}

Result<Response> get_e2b_sandbox(Call& call) {
  ASSIGN_OR_RETURN(const E2bSandbox sandbox, E2bSandbox::in_path(call));
  ASSIGN_OR_RETURN(const Sandbox session, sandbox.get());
  return json_response(e2b::sandbox_info(session));
}

Result<Response> kill_e2b_sandbox(Call& call) {
  ASSIGN_OR_RETURN(const E2bSandbox sandbox, E2bSandbox::in_path(call));
  TRY(sandbox.get_to_change());
  TRY(sandbox.ask(sandbox.request("DELETE")));
  return nothing();
}

Result<Response> set_e2b_timeout(Call& call) {
  ASSIGN_OR_RETURN(const E2bSandbox sandbox, E2bSandbox::in_path(call));
  ASSIGN_OR_RETURN(const auto timeout, e2b::timeout_of(call.body));
  if (!timeout) return e2b::wrong_field("timeout", "how many seconds from now?");
  ASSIGN_OR_RETURN(const Sandbox session, sandbox.get_to_change());
  TRY(with_timeout(sandbox, session, *timeout));
  return nothing();
}

Result<Response> pause_e2b_sandbox(Call& call) {
  ASSIGN_OR_RETURN(const E2bSandbox sandbox, E2bSandbox::in_path(call));
  ASSIGN_OR_RETURN(const Sandbox session, sandbox.get_to_change());
  if (session.spec.suspended.value_or(false))
    return Error{Code::kConflict, "SESSION_SUSPENDED", "the sandbox is paused already"};
  TRY(sandbox.patch(Value::Object{{"suspended", true}}));
  return nothing();
}

// A running one lives longer by this, and never shorter.
Result<Response> connect_e2b_sandbox(Call& call) {
  ASSIGN_OR_RETURN(const E2bSandbox sandbox, E2bSandbox::in_path(call));
  ASSIGN_OR_RETURN(const auto timeout, e2b::timeout_of(call.body));
  ASSIGN_OR_RETURN(Sandbox session, sandbox.get_to_change());
  const bool paused = session.spec.suspended.value_or(false);
  if (paused) {
    ASSIGN_OR_RETURN(session, sandbox.patch(Value::Object{{"suspended", false}}));
  }
  const WallTime end = call.now() + timeout.value_or(e2b::kDefaultTimeout);
  if (const auto& now = session.status.expires_at; now && now->value < end) {
    ASSIGN_OR_RETURN(session,
                     with_timeout(sandbox, session, timeout.value_or(e2b::kDefaultTimeout)));
  }
  return access_to(call, session, paused ? 201 : 200);
}

Result<Response> refuse_e2b(Call& call) {
  const std::string what = cat(call.request.method, " /", call.param("rest"));
  return Error{Code::kFailedPrecondition, "E2B_NOT_SERVED", cat(what, " ", kWhatWorks)};
}

}  // namespace paddock::api

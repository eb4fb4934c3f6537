#include "controller/api/handlers/e2b/inside.h"

#include "common/base/text.h"
#include "common/contracts/names.h"
#include "common/wire/json.h"
#include "controller/api/server/documents.h"
#include "controller/e2b/fields.h"

namespace paddock::api {
namespace {

using contracts::Sandbox;
using wire::Value;

Error no_sandbox() {
  return {Code::kNotFound, "SANDBOX_NOT_FOUND", "there is no such sandbox, or it has ended"};
}

Result<Sandbox> living(Sandbox session) {
  if (session.status.phase == contracts::SandboxPhase::kEnded) return no_sandbox();
  return session;
}

}  // namespace

Result<Sandbox> read_session(const Response& answer) {
  ASSIGN_OR_RETURN(const Value document, wire::parse_json(answer.body));
  return wire::decode<Sandbox>(document);
}

Result<E2bSandbox> E2bSandbox::named(Call& call, std::string name) {
  if (!contracts::is_dns_label(name)) return no_sandbox();
  return E2bSandbox(call, std::move(name));
}

Result<E2bSandbox> E2bSandbox::in_path(Call& call) { return named(call, call.param("id")); }

Result<E2bSandbox> E2bSandbox::in_header(Call& call) {
  std::string name = call.request.header("e2b-sandbox-id");
  if (name.empty())
    return Error{
        Code::kNotFound, "SANDBOX_NOT_FOUND",
        "the request names no sandbox (E2b-Sandbox-Id): after Sandbox.connect, the SDK for "
        "Python does from its release 2.26 on"};
  return named(call, std::move(name));
}

OwnRequest E2bSandbox::collection(const Call& call, std::string method) {
  return {std::move(method),
          {"apis", "paddock.dev", "v1alpha1", "namespaces", call.param("ns"), "sandboxes"}};
}

OwnRequest E2bSandbox::request(std::string method, std::vector<std::string> below) const {
  OwnRequest wanted = collection(call_, std::move(method));
  wanted.segments.push_back(name_);
  for (std::string& segment : below) wanted.segments.push_back(std::move(segment));
  return wanted;
}

Result<Response> E2bSandbox::ask(OwnRequest wanted) const {
  Response answer = ask_itself(call_, std::move(wanted));
  TRY(refusal_in(answer));
  return answer;
}

Result<Sandbox> E2bSandbox::get() const {
  ASSIGN_OR_RETURN(const Response answer, ask(request("GET")));
  ASSIGN_OR_RETURN(Sandbox session, read_session(answer));
  return living(std::move(session));
}

// Reads the session by sending an empty change, which is not recorded: the caller's token may have
// the scope for changes and none for reading.
Result<Sandbox> E2bSandbox::get_to_change() const {
  ASSIGN_OR_RETURN(Sandbox session, patch(Value::Object{}));
  return living(std::move(session));
}

Result<Sandbox> E2bSandbox::patch(const Value& spec) const {
  OwnRequest wanted = request("PATCH");
  wanted.headers["content-type"] = "application/merge-patch+json";
  wanted.body = wire::to_json(Value::Object{{"spec", spec}});
  ASSIGN_OR_RETURN(const Response answer, ask(std::move(wanted)));
  return read_session(answer);
}

OwnRequest E2bSandbox::file(std::string method, std::string_view inner) const {
  OwnRequest wanted = request(std::move(method), {"files"});
  for (std::string& name : split(inner, '/')) {
    if (!name.empty()) wanted.segments.push_back(std::move(name));
  }
  return wanted;
}

Result<contracts::SessionFileList> E2bSandbox::list(std::string_view inner) const {
  ASSIGN_OR_RETURN(const Response answer, ask(file("GET", inner)));
  if (!answer.content_type.starts_with("application/json"))
    return e2b::wrong_field("path", "is a file and no folder");
  ASSIGN_OR_RETURN(const Value document, wire::parse_json(answer.body));
  return wire::decode<contracts::SessionFileList>(document);
}

}  // namespace paddock::api

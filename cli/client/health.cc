#include "cli/client/health.h"

#include <algorithm>

#include "cli/client/list_items.h"
#include "common/client/controller_client.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/node.h"
#include "common/contracts/status.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using wire::Value;

// The one that matters most: of the agent, of the host, of runs that could not begin.
std::string message_of(const contracts::Node& node) {
  if (!node.status.message.empty()) return node.status.message;
  if (const contracts::Condition* unfit = contracts::unfit(node.status)) return unfit->message;
  const auto& rest = node.status.cool_down;
  return rest && rest->until ? rest->message : "";
}

void look_at_pointer(Health& health, const ConnectionOptions& options, const Env& env) {
  const Result<Target> target = choose_target(options, env);
  if (!target.ok() || target->remote) return;
  health.instance = target->instance;
  const Result<InstancePaths> paths = find_instance(env, target->instance);
  if (!paths.ok()) {
    health.no_pointer = paths.error().message;
    return;
  }
  if (auto settings = read_settings(paths->settings()); settings.ok())
    health.settings = std::move(settings).value();
  Result<std::optional<InstancePointer>> pointer = current_pointer(*paths);
  if (!pointer.ok()) {
    health.no_pointer = pointer.error().message;
    return;
  }
  health.pointer = std::move(pointer).value();
  if (!health.pointer) return;
  health.controller_alive = is_alive(health.pointer->controller);
  health.agent_alive = is_alive(health.pointer->agent);
}

// The reason that the controller gives to a caller with a token.
std::string why_it_cannot_serve(client::ControllerClient& client) {
  const Result<Value> status = client.get("/status");
  if (!status.ok() || status->text("reason").empty()) return "";
  return cat(": ", status->text("message"), " [", status->text("reason"), "]");
}

void ask_status(Health& health, client::ControllerClient& client) {
  const Result<Value> status = client.get("/status");
  if (!status.ok()) {
    health.no_runs = status.error().message;
    return;
  }
  if (const Value* stored = status->find("stored")) health.stored = *stored;
  if (const Value* files = status->find("files")) health.files = *files;
  if (const Value* secrets = status->find("secrets")) health.secrets = *secrets;
  if (const Value* scheduling = status->find("scheduling")) health.scheduling = *scheduling;
  if (const Value* runs = status->find("runs")) health.runs = *runs;
  if (health.runs.is_null()) health.no_runs = "the controller does not tell this token";
}

void ask_controller(Health& health, const http::Endpoint& endpoint) {
  client::ControllerClient client(endpoint);
  const Ready ready = ask_ready(endpoint, Millis(5000));
  health.readiness = ready.said;
  health.clock_gap = ready.clock_gap;
  if (!ready.status.ok()) {
    health.controller_error = ready.status.error();
    health.reason = ready.status.error().message;
    if (ready.status.error().reason == "CONTROLLER_NOT_READY")
      health.reason += why_it_cannot_serve(client);
    return;
  }
  health.controller_ready = true;
  const Status nodes = client.list(contracts::paths::collection("", "nodes"),
                                   client::ListForm::kObjects, [&](Value& page) {
                                     for (const Value& node : items_of(page))
                                       health.nodes.push_back(node_health(node));
                                     return Status();
                                   });
  if (!nodes.ok() && nodes.error().code == Code::kPermissionDenied) {
    health.nodes_hidden = nodes.error().message;
  } else if (!nodes.ok()) {
    health.nodes.clear();  // a part of them, perhaps
    health.reason = nodes.error().message;
    return;
  }
  health.nodes_listed = nodes.ok();
  ask_status(health, client);
}

bool some_node_is_open(const Health& health) {
  return !health.nodes_hidden.empty() || std::ranges::any_of(health.nodes, &NodeHealth::open);
}

}  // namespace

NodeHealth node_health(const Value& item) {
  const Result<contracts::Node> node = wire::decode<contracts::Node>(item);
  if (!node.ok()) return {.name = item.text("metadata.name"), .message = node.error().message};
  NodeHealth out{node->metadata.name, node->status.ready, contracts::is_open(*node),
                 message_of(*node)};
  for (const std::string_view word : contracts::closed_by(*node)) out.closed_by.emplace_back(word);
  return out;
}

std::string node_text(const NodeHealth& node) {
  std::string text = cat(node.name, node.ready ? " ready" : " not ready");
  for (const std::string& word : node.closed_by) text += cat(", ", word);
  return node.message.empty() ? text : cat(text, ": ", node.message);
}

std::string why_no_node(const Health& health) {
  if (some_node_is_open(health)) return "";
  if (health.nodes.empty()) return "no node has registered";
  std::vector<std::string> parts;
  for (const NodeHealth& node : health.nodes) parts.push_back(node_text(node));
  return cat("no node takes new runs: ", join(parts, "; "));
}

bool Health::ready() const { return controller_ready && some_node_is_open(*this); }

Ready ask_ready(const http::Endpoint& endpoint, Millis timeout) {
  http::Request request;
  request.target = "/readyz";
  request.timeout = timeout;
  const Result<http::Response> answer = http::make_client(endpoint)->send(request);
  Ready out;
  if (!answer.ok()) {
    out.status = answer.error();
    return out;
  }
  out.clock_gap = answer->clock_gap;
  if (auto document = wire::parse_json(answer->body)) out.said = std::move(*document);
  out.status = readiness_of(answer->status, out.said);
  return out;
}

// A port that speaks TLS, a proxy that limits requests: they say so in the shape of every error.
Status readiness_of(int http_status, const wire::Value& said) {
  if (http_status == 200) return {};
  if (!said.text("error.code").empty()) return contracts::error_from_body(http_status, said);
  return Error{Code::kUnavailable, "CONTROLLER_NOT_READY",
               cat("the controller answers ", http_status, " to /readyz")};
}

Status check_ready(const http::Endpoint& endpoint, Millis timeout) {
  Status ready = ask_ready(endpoint, timeout).status;
  if (ready.ok() || ready.error().reason != "CONTROLLER_NOT_READY") return ready;
  Error error = ready.error();
  client::ControllerClient client(endpoint);
  error.message += why_it_cannot_serve(client);
  return error;
}

bool serves_on_full_disk(const http::Endpoint& endpoint) {
  client::ControllerClient client(endpoint);
  const Result<Value> status = client.get("/status");
  return status.ok() && is_one_of(status->text("reason"), {"STORE_FULL"});
}

Health gather_health(const ConnectionOptions& options, const Env& env) {
  Health health;
  look_at_pointer(health, options, env);
  Env now = env;  // as it is, not as it may be soon
  now.patience_given = false;
  const Result<http::Endpoint> endpoint = resolve_endpoint(options, now);
  if (!endpoint.ok()) {
    health.reason = endpoint.error().message;
    return health;
  }
  health.url = endpoint->base_url;
  ask_controller(health, *endpoint);
  if (health.reason.empty()) health.reason = why_no_node(health);
  return health;
}

Value ready_document(const Health& health) {
  Value nodes = Value::Array{};
  for (const NodeHealth& node : health.nodes) {
    Value closed = Value::Array{};
    for (const std::string& word : node.closed_by) closed.push_back(word);
    nodes.push_back(Value::Object{{"name", node.name},
                                  {"ready", node.ready},
                                  {"closedBy", std::move(closed)},
                                  {"message", node.message}});
  }
  Value document = Value::Object{
      {"ready", health.ready()},
      {"controller", Value::Object{{"ready", health.controller_ready}, {"url", health.url}}},
      {"nodes", health.nodes_listed ? std::move(nodes) : Value()},
      {"reason", health.reason}};
  if (!health.nodes_hidden.empty()) document.set("nodesNotShown", health.nodes_hidden);
  return document;
}

}  // namespace paddock::cli

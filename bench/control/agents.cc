#include "bench/control/agents.h"

#include "bench/control/give_up.h"
#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::bench {
namespace {

constexpr int64_t kHoldMs = 10'000;   // two thirds of the lease, as the agent does
constexpr int64_t kCallsMs = 20'000;  // as the agent does

std::string node_path(const std::string& name) {
  return cat("/apis/paddock.dev/v1alpha1/nodes/", name);
}

// The body of an answer that came whole, and is taken out of `text`; nothing if it did not.
std::optional<std::string> take_answer(std::string& text) {
  const size_t head = text.find("\r\n\r\n");
  if (head == std::string::npos) return std::nullopt;
  const std::string lower = ascii_lower(std::string_view(text).substr(0, head + 2));
  const std::string name = "\r\ncontent-length:";
  const size_t at = lower.find(name);
  require(lower.starts_with("http/1.1 200") && at != std::string::npos,
          cat("an agent was refused: ", text.substr(0, 2000)));
  const size_t begin = at + name.size();
  const auto size = parse_integer<size_t>(
      trim(std::string_view(lower).substr(begin, lower.find("\r\n", begin) - begin)));
  require(size.has_value(), "an answer has no length");
  if (text.size() < head + 4 + *size) return std::nullopt;
  std::string body = text.substr(head + 4, *size);
  text.erase(0, head + 4 + *size);
  return body;
}

}  // namespace

Agents::Agents(Crowd& crowd, Address address, std::string enrol_token)
    : crowd_(crowd), address_(std::move(address)), enrol_token_(std::move(enrol_token)) {}

void Agents::add(const std::string& status) {
  Agent agent;
  agent.name = cat("node-", 1000 + agents_.size());
  Address own = address_;
  own.token = enrol_token_;
  const std::string identity = cat("an agent's own secret, number ", agents_.size(), " of them");
  Reply reply = Wire(own).call("POST", node_path(agent.name) + "/enroll",
                               cat(R"({"identity":")", identity, R"("})"));
  require(reply.status == 201, cat("an agent was not enrolled: ", reply.body));
  agent.token = value_of(wire::parse_json(reply.body), "reading an answer").text("credential");
  own.token = agent.token;
  Wire hold(own);
  reply =
      hold.call("POST", node_path(agent.name) + "/synchronize",
                cat(R"({"session":"process-1","generation":1,"runs":[],"status":)", status, "}"));
  require(reply.status == 200, cat("an agent was refused: ", reply.body));
  agent.version = value_of(wire::parse_json(reply.body), "reading an answer").text("version");
  agent.hold = crowd_.add(std::move(hold), hold_request(agent));
  agent.calls = crowd_.add(Wire(own), calls_request(agent));
  by_hold_[agent.hold] = agents_.size();
  by_calls_[agent.calls] = agents_.size();
  agents_.push_back(std::move(agent));
}

std::string Agents::hold_request(const Agent& agent) const {
  std::string runs;
  for (const auto& [uid, attempt] : agent.runs) {
    runs += cat(runs.empty() ? "" : ",", R"({"runUid":")", uid, R"(","attempt":)", attempt,
                R"(,"phase":"Running"})");
  }
  const std::string body =
      cat(R"({"session":"process-1","generation":1,"knownVersion":")", agent.version,
          R"(","waitMs":)", kHoldMs, R"(,"runs":[)", runs, "]}");
  return request_text("POST", node_path(agent.name) + "/synchronize", agent.token, body);
}

std::string Agents::calls_request(const Agent& agent) const {
  const std::string body =
      cat(R"({"session":"process-1","generation":1,"lane":0,"waitMs":)", kCallsMs, "}");
  return request_text("POST", node_path(agent.name) + "/calls", agent.token, body);
}

bool Agents::take(size_t number, const std::string& text) {
  if (const auto calls = by_calls_.find(number); calls != by_calls_.end()) {
    Agent& agent = agents_[calls->second];
    agent.calls_text += text;
    while (take_answer(agent.calls_text)) {
      ++answered_;
      crowd_.send(number, calls_request(agent));
    }
    return true;
  }
  const auto held = by_hold_.find(number);
  if (held == by_hold_.end()) return false;
  Agent& agent = agents_[held->second];
  agent.text += text;
  while (const auto body = take_answer(agent.text)) {
    ++answered_;
    answer(agent, *body);
    crowd_.send(number, hold_request(agent));
  }
  return true;
}

void Agents::answer(Agent& agent, const std::string& body) {
  const wire::Value told = value_of(wire::parse_json(body), "reading an answer");
  agent.version = told.text("version");
  agent.runs.clear();
  const wire::Value* runs = told.find("runs");
  if (runs == nullptr || runs->array() == nullptr) return;
  for (const wire::Value& run : *runs->array()) {
    const wire::Value* attempt = run.find("attempt");
    require(attempt != nullptr && attempt->integer() != nullptr, "an assignment has no attempt");
    agent.runs[run.text("runUid")] = *attempt->integer();
    places_[run.text("name")] = {agent.name, *attempt->integer()};
  }
}

void Agents::silence(const std::string& node) {
  for (const Agent& agent : agents_) {
    if (agent.name != node) continue;
    crowd_.leave(agent.hold);
    crowd_.leave(agent.calls);
    return;
  }
  give_up(cat("there is no node ", node));
}

Agents::Place Agents::place_of(const std::string& run) const {
  const auto found = places_.find(run);
  return found == places_.end() ? Place{} : found->second;
}

}  // namespace paddock::bench

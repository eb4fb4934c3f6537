#include "controller/http_server/refusal.h"

#include "common/contracts/status.h"
#include "common/wire/json.h"

namespace paddock::http_server {
namespace {

// The word of the Status object for a status that no code has.
std::string_view kubernetes_word(const Error& error, int status) {
  if (status == 408) return "Timeout";
  if (status == 405 || error.reason == "METHOD_UNSUPPORTED") return "MethodNotAllowed";
  if (status == 415) return "UnsupportedMediaType";
  if (status == 503) return "ServiceUnavailable";
  return "BadRequest";
}

// Facts of an error.
constexpr std::string_view kRetryAfterSeconds = "retryAfterSeconds";
constexpr std::string_view kLeader = "leader";
// Tells a client that nothing was done here and that it should ask another address.
constexpr const char* kLeaderHeader = "paddock-leader";
constexpr const char* kNotKnown = "elsewhere";

// 0: that of its code.
int own_status(const Error& error) {
  const reasons::Row* row = error.reason.row();
  return row == nullptr ? 0 : row->http;
}

void add_facts(const Error& error, Response& response) {
  bool leader_known = false;
  for (const auto& [name, fact] : error.facts) {
    if (name == kRetryAfterSeconds) response.headers.emplace_back("retry-after", fact);
    if (name != kLeader) continue;
    response.headers.emplace_back(kLeaderHeader, fact);
    leader_known = true;
  }
  if (!leader_known && is_one_of(error.reason, {"NOT_LEADER", "STORE_FENCED"}))
    response.headers.emplace_back(kLeaderHeader, kNotKnown);
}

}  // namespace

int refusal_status(const Error& error) {
  const int own = own_status(error);
  return own == 0 ? contracts::http_status(error.code) : own;
}

wire::Value refusal_document(const Error& error) {
  wire::Value body = contracts::status_body(error);
  if (const int own = own_status(error); own != 0) {
    body.set("code", own);
    body.set("reason", kubernetes_word(error, own));
  }
  return body;
}

Response refusal(const Error& error) {
  Response response;
  response.status = refusal_status(error);
  response.body = wire::to_json(refusal_document(error));
  add_facts(error, response);
  return response;
}

}  // namespace paddock::http_server

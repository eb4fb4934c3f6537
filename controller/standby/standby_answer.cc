#include "controller/standby/standby_answer.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/readiness.h"
#include "common/wire/json.h"
#include "controller/http_server/refusal.h"

namespace paddock::standby {
namespace {

// Whether the leader's URL may be put into a header of an answer: it comes from the database, where
// anybody with access could have changed it.
bool may_be_told(const std::string& url) {
  const bool http = url.starts_with("https://") || url.starts_with("http://");
  return http && url.size() <= 512 &&
         std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace

http_server::Response standby_answer(const http_server::Request& request,
                                     const std::string& leader_url) {
  http_server::Response answer;
  if (request.path == "/livez") {
    answer.content_type = "text/plain; charset=utf-8";
    answer.body = "ok\n";
    return answer;
  }
  if (request.path == "/healthz") {
    wire::Value alive = contracts::readiness(true);
    alive.set("ready", false);
    answer.body = wire::to_json(alive);
    return answer;
  }
  const bool known = may_be_told(leader_url);
  Error error{Code::kUnavailable, "NOT_LEADER",
              cat("this controller is a standby and did nothing of this; ask ",
                  known ? leader_url : "the one that leads")};
  error.facts = {{"retryAfterSeconds", "1"}};
  if (known) error.facts.emplace_back("leader", leader_url);
  return http_server::refusal(error);
}

}  // namespace paddock::standby

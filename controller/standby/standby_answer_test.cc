#include "controller/standby/standby_answer.h"

#include <gtest/gtest.h>

#include "common/http/http_client.h"
#include "common/wire/json.h"

namespace paddock::standby {
namespace {

http_server::Response asked(const std::string& path, const std::string& leader = {}) {
  http_server::Request request;
  request.method = "GET";
  request.path = path;
  return standby_answer(request, leader);
}

std::string header(const http_server::Response& response, const std::string& name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return {};
}

TEST(Standby, IsAliveAndNotReady) {
  EXPECT_EQ(asked("/livez").status, 200);
  EXPECT_EQ(asked("/healthz").status, 200);
  for (const char* path : {"/readyz", "/health", "/api/v1/namespaces/default/runs", "/"}) {
    const auto answer = asked(path);
    EXPECT_EQ(answer.status, 503) << path;
    const auto body = wire::parse_json(answer.body).value();
    EXPECT_EQ(body.text("error.code"), "NOT_LEADER") << path;
    EXPECT_EQ(header(answer, "retry-after"), "1");
    EXPECT_EQ(header(answer, http::kLeaderHeader), "elsewhere");
  }
}

TEST(Standby, TellsTheLeadersUrlIfItHasOne) {
  const auto answer = asked("/readyz", "https://a.example:8443");
  EXPECT_EQ(header(answer, http::kLeaderHeader), "https://a.example:8443");
  const auto body = wire::parse_json(answer.body).value();
  EXPECT_EQ(body.text("error.details.leader"), "https://a.example:8443");
}

TEST(Standby, TellsNothingThatWouldBreakAnAnswer) {
  for (const char* odd : {"https://a\r\nset-cookie: x", "javascript:x", "https://a b"})
    EXPECT_EQ(header(asked("/readyz", odd), http::kLeaderHeader), "elsewhere") << odd;
}

}  // namespace
}  // namespace paddock::standby
